#include <gtest/gtest.h>

#include <algorithm>

#include "tables/core/codec/real_column.hh"
#include "tables/core/codec/real_split.hh"
#include "tables/core/codec/real_vector.hh"
#include "tests/unit/tables/codec/sample_data.hh"

namespace {

using namespace tables::codec;
using reals = std::vector<double>;

bool same_bits(const reals& a, const reals& b) {
    return std::ranges::equal(a, b, {}, std::bit_cast<uint64_t, double>, std::bit_cast<uint64_t, double>);
}

std::string coded(const reals& values) {
    std::string out;
    real_encoder().encode(values, out);
    return out;
}

real_form form_of(const reals& values) {
    return static_cast<real_form>(coded(values)[0]);
}

reals walk(size_t count, auto&& shape) {
    samples::generator random(1);
    std::normal_distribution<double> normal;
    reals values(count);
    double at = 50;
    for (auto& v : values) {
        v = shape(at += normal(random));
    }
    return values;
}

TEST(real_vector, every_kind_comes_back_bit_for_bit) {
    for (uint64_t seed = 0; seed < 2'000; ++seed) {
        const auto values = samples::reals(seed, vector_size);
        const auto bytes = coded(values);
        reals out(values.size());
        ASSERT_TRUE(decode_reals(bytes, out)) << seed;
        ASSERT_TRUE(same_bits(out, values)) << seed;
    }
}

TEST(real_vector, two_decimals_become_integers) {
    const auto values = walk(vector_size, [](double v) { return std::round(v * 100) / 100; });
    EXPECT_EQ(form_of(values), real_form::decimals);
    EXPECT_LE(coded(values).size(), vector_size * 5 / 4);
}

TEST(real_vector, a_full_precision_walk_shares_its_first_bits) {
    const auto values = walk(vector_size, [](double v) { return v; });
    EXPECT_EQ(form_of(values), real_form::bits);
    EXPECT_LE(coded(values).size(), vector_size * 13 / 2);
}

TEST(real_vector, numbers_of_both_signs_are_split) {
    samples::generator random(1);
    std::normal_distribution<double> normal;
    reals values(vector_size);
    std::ranges::generate(values, [&] { return normal(random); });
    EXPECT_EQ(form_of(values), real_form::split);
    EXPECT_LE(coded(values).size(), vector_size * 15 / 2);
}

TEST(real_vector, noise_takes_eight_bytes_and_a_head) {
    samples::generator random(1);
    reals values(vector_size);
    std::ranges::generate(values, [&] { return std::bit_cast<double>(random()); });
    EXPECT_LE(coded(values).size(), vector_size * 8 + 32);
}

TEST(real_vector, minus_zero_nan_and_infinities_among_decimals_are_exceptions) {
    auto values = walk(vector_size, [](double v) { return std::round(v * 10) / 10; });
    values[0] = -0.0;
    values[1] = std::numeric_limits<double>::infinity();
    values[500] = std::bit_cast<double>(uint64_t{0x7ff0000000000001});
    values[vector_size - 1] = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(form_of(values), real_form::decimals);
    reals out(values.size());
    ASSERT_TRUE(decode_reals(coded(values), out));
    EXPECT_TRUE(same_bits(out, values));
}

TEST(decimals, the_cost_is_exact) {
    for (uint64_t seed = 0; seed < 400; ++seed) {
        const auto values = samples::reals(seed, vector_size);
        decimal_plan plan;
        if (plan.prepare(values)) {
            std::string out;
            plan.encode(out);
            EXPECT_EQ(out.size(), plan.size()) << seed;
        }
    }
}

TEST(decimals, all_exceptions_still_come_back) {
    // Looks like decimals to the sample, which takes one value in thirty-two.
    reals values(vector_size, std::numeric_limits<double>::quiet_NaN());
    for (size_t i = 16; i < values.size(); i += 32) {
        values[i] = 1.5;
    }
    decimal_plan plan;
    ASSERT_TRUE(plan.prepare(values));
    std::string bytes;
    plan.encode(bytes);
    reals out(values.size());
    ASSERT_TRUE(decode_decimals(bytes, out));
    EXPECT_TRUE(same_bits(out, values));
}

TEST(split, the_cost_is_exact_and_everything_comes_back) {
    for (uint64_t seed = 0; seed < 400; ++seed) {
        const auto values = samples::reals(seed, vector_size);
        const auto plan = plan_split(values);
        std::string bytes;
        encode_split(values, plan, bytes);
        EXPECT_EQ(bytes.size(), plan.size) << seed;
        reals out(values.size());
        ASSERT_TRUE(decode_split(bytes, out)) << seed;
        EXPECT_TRUE(same_bits(out, values)) << seed;
    }
}

TEST(real_vector, cut_or_extended_bytes_are_refused) {
    for (uint64_t seed = 0; seed < 64; ++seed) {
        const auto values = samples::reals(seed, 100);
        const auto good = coded(values);
        reals out(values.size());
        for (size_t size = 0; size < good.size(); ++size) {
            EXPECT_FALSE(decode_reals(good.substr(0, size), out)) << seed << " " << size;
        }
        EXPECT_FALSE(decode_reals(good + '\0', out)) << seed;
    }
}

TEST(real_vector, changed_bytes_never_misbehave) {
    samples::generator random(7);
    for (uint64_t seed = 0; seed < 500; ++seed) {
        const auto values = samples::reals(seed, 300);
        auto bytes = coded(values);
        bytes[random() % std::min<size_t>(bytes.size(), 24)] = static_cast<char>(random());
        reals out(values.size());
        std::ignore = decode_reals(bytes, out);
    }
}

TEST(real_column, any_range_comes_back) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const auto values = samples::reals(seed, 5'000);
        std::string bytes;
        encode_real_column(values, bytes);
        const auto column = real_column::open(bytes, values.size());
        ASSERT_TRUE(column);
        samples::generator random(seed);
        for (int i = 0; i < 10; ++i) {
            const size_t begin = random() % (values.size() + 1);
            const size_t end = begin + random() % (values.size() - begin + 1);
            reals out(end - begin);
            ASSERT_TRUE(column->decode(begin, out));
            ASSERT_TRUE(same_bits(
                out, reals(values.begin() + static_cast<ptrdiff_t>(begin), values.begin() + static_cast<ptrdiff_t>(end))));
        }
    }
}

TEST(real_column, a_constant_one_keeps_its_bits) {
    const reals values(5'000, std::bit_cast<double>(uint64_t{0xfff8dead00000001}));
    std::string bytes;
    encode_real_column(values, bytes);
    EXPECT_EQ(bytes.size(), 9u);
    reals out(values.size());
    ASSERT_TRUE(real_column::open(bytes, values.size())->decode(0, out));
    EXPECT_TRUE(same_bits(out, values));
}

TEST(real_column, an_empty_one_has_no_bytes) {
    std::string bytes;
    encode_real_column({}, bytes);
    EXPECT_EQ(bytes, "");
    EXPECT_TRUE(real_column::open("", 0));
    EXPECT_FALSE(real_column::open("x", 0));
    EXPECT_FALSE(real_column::open("", 1));
}

TEST(ordered_bits, keep_the_order_of_the_values) {
    const reals values{-std::numeric_limits<double>::infinity(), -2.5, -1e-300, -0.0, 0.0, 1e-300, 1, 1.5, 1e300};
    const auto key = [](double v) { return ordered_bits(std::bit_cast<int64_t>(v)); };
    EXPECT_TRUE(std::ranges::is_sorted(values, std::less<>(), key));
    for (const double v : values) {
        EXPECT_EQ(ordered_bits(key(v)), std::bit_cast<int64_t>(v));
    }
}

} // namespace
