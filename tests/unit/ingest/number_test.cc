#include "ingest/core/number.hh"

#include <bit>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/ingest/random_lines.hh"

namespace {

using ingest::line_fault;
using ingest::parse_real;

// From memory of exactly the right size, and with other bytes behind.
void expect_like_strtod(const std::string& text) {
    const double right = std::strtod(text.c_str(), nullptr);
    const std::vector<char> exact(text.begin(), text.end());
    const auto alone = parse_real({exact.data(), exact.size()});
    ASSERT_TRUE(alone) << text;
    EXPECT_EQ(std::bit_cast<uint64_t>(*alone), std::bit_cast<uint64_t>(right)) << text;
    const auto followed = text + ",1234567890.5";
    const auto inside = parse_real(std::string_view(followed).substr(0, text.size()), followed.size() - text.size());
    ASSERT_TRUE(inside) << text;
    EXPECT_EQ(std::bit_cast<uint64_t>(*inside), std::bit_cast<uint64_t>(right)) << text;
}

TEST(number, the_nearest_double_is_found) {
    for (std::string text : {"0",
                             "1",
                             "9",
                             "10",
                             "-1",
                             "-0",
                             "0.1",
                             "0.2",
                             "0.3",
                             "12.5",
                             "99.99",
                             ".5",
                             "5.",
                             "-.5",
                             "0000000000000001",
                             "1e0",
                             "9007199254740992",
                             "9007199254740993",
                             "9007199254740991.",
                             "9007199254740993.0",
                             "0.9007199254740993",
                             ".900719925474099",
                             "123456789012345.6",
                             "1234567890.12345",
                             "0.000000000000001",
                             "1797693134862315708e290",
                             "4.9e-324",
                             "2.4703282292062327e-324",
                             "1e22",
                             "1e23",
                             "123456789012345678901234567890",
                             "8.5",
                             "1E+2",
                             "1e-2"}) {
        expect_like_strtod(text);
    }
}

TEST(number, short_decimals_are_as_exact_as_long_ones) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 400'000; ++i) {
        auto digits = std::to_string(random() >> random() % 64).substr(0, 1 + random() % 22);
        digits.insert(0, random() % 8 == 0 ? random() % 10 : 0, '0');
        digits.insert(random() % (digits.size() + 1), random() % 4 == 0 ? "" : ".");
        if (digits != ".") {
            expect_like_strtod((random() % 2 == 0 ? "-" : "") + digits);
        }
        if (HasFailure()) {
            return;
        }
    }
}

// Half way between two doubles, a digit more and a digit less: what is behind the last bit decides.
TEST(number, ties_go_to_the_even_one) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 100'000; ++i) {
        const uint64_t even = (uint64_t{1} << 53) + random() % (uint64_t{1} << 53);
        const uint64_t between = even * 2 + 1; // below 2^55; a double there has a lowest bit of 2 or 4
        for (const uint64_t mantissa : {between - 1, between, between + 1, between * 5, between * 25, between * 25 - 1}) {
            auto digits = std::to_string(mantissa);
            expect_like_strtod(digits);
            digits.insert(random() % digits.size(), ".");
            expect_like_strtod(digits);
        }
        if (HasFailure()) {
            return;
        }
    }
}

// Whatever is taken the short way is what the others read, up to the same byte.
TEST(number, plain_numbers_are_what_the_others_read) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    int taken_count = 0;
    for (int i = 0; i < 400'000; ++i) {
        std::string text = random() % 4 == 0 ? "-" : "";
        text += random() % 4 == 0 ? ingest_test::random_number(random) : std::to_string(random() >> random() % 64);
        if (random() % 2 == 0) {
            text.insert(random() % (text.size() + 1), 1, "..i-e,\xb9/:"[random() % 10]);
        }
        text += random() % 3 == 0 ? "i" : "";
        const size_t size = std::min(text.find(','), text.size());
        auto value = base::value::of_boolean(false);
        const std::string readable = text + "," + std::string(ingest::plain_number_bytes, random() % 2 == 0 ? '7' : '.');
        const size_t taken = ingest::take_plain_number(readable.data(), value);
        ASSERT_LE(taken, size) << text;
        if (taken != size || size == 0) {
            continue; // the caller sees what stands behind it
        }
        ++taken_count;
        const auto number = std::string_view(text).substr(0, size);
        if (number.ends_with('i')) {
            const auto right = ingest::parse_int64(number.substr(0, size - 1));
            ASSERT_TRUE(right) << text;
            ASSERT_TRUE(identical(value, base::value::of_int64(*right))) << text;
        } else {
            const auto right = parse_real(number);
            ASSERT_TRUE(right) << text;
            ASSERT_TRUE(identical(value, base::value::of_real(*right))) << text;
            ASSERT_EQ(*right, std::strtod(std::string(number).c_str(), nullptr)) << text;
        }
    }
    EXPECT_GT(taken_count, 50'000);
}

TEST(number, what_is_no_real_is_refused) {
    for (std::string_view text : {"",    "-",   ".",   "-.",       "+1",   "1+",  "1.2.3", "1..2", "1e",  "1e+",
                                  "e1",  "nan", "inf", "infinity", "-inf", "0x1", "1 ",    " 1",   "1,2", "12345678901234567890x",
                                  "1/2", "1:2"}) {
        const auto value = parse_real(text);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error(), line_fault::invalid_value) << text;
    }
}

TEST(number, too_large_is_an_error_and_too_small_is_zero) {
    for (std::string_view text :
         {"1e309", "-1e309", "1e99999999999999999999", "1000e307", "0.001e312", "17976931348623159e292"}) {
        const auto value = parse_real(text);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error(), line_fault::value_out_of_range) << text;
    }
    EXPECT_EQ(parse_real(std::string(400, '9')).error(), line_fault::value_out_of_range);
    for (std::string_view text : {"1e-400", "0.0001e-330", "1e-99999999999999999999", "0e999999999999999999999"}) {
        const auto value = parse_real(text);
        ASSERT_TRUE(value) << text;
        EXPECT_EQ(std::bit_cast<uint64_t>(*value), 0u) << text;
    }
    EXPECT_EQ(std::bit_cast<uint64_t>(*parse_real("-1e-400")), uint64_t{1} << 63);
}

TEST(number, integers_reach_both_ends) {
    for (int64_t value :
         {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN, int64_t{1234567890123456}, int64_t{12345678}, int64_t{-99999999}}) {
        EXPECT_EQ(ingest::parse_int64(std::to_string(value)), value);
    }
    EXPECT_EQ(ingest::parse_int64("00000000000000000000000007"), 7);
    for (std::string_view text :
         {"9223372036854775808", "-9223372036854775809", "99999999999999999999", "18446744073709551616"}) {
        EXPECT_EQ(ingest::parse_int64(text).error(), line_fault::value_out_of_range) << text;
    }
    for (std::string_view text :
         {"", "-", "+1", "1x", "12345678x", "x", "1.0", "12345678901234567890x", "123456789012345678901234x1", "--1"}) {
        EXPECT_EQ(ingest::parse_int64(text).error(), line_fault::invalid_value) << text;
    }
    EXPECT_EQ(ingest::parse_unsigned("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(ingest::parse_unsigned("18446744073709551615").error(), line_fault::unsigned_out_of_range);
    EXPECT_EQ(ingest::parse_unsigned("-1").error(), line_fault::invalid_value);
}

} // namespace
