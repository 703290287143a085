#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/int_vector.hh"
#include "tests/unit/tables/codec/sample_data.hh"

namespace {

using namespace tables::codec;
using ints = std::vector<int64_t>;

std::string coded(const ints& values) {
    std::string out;
    const auto plan = plan_ints(values);
    encode_ints(values, plan, out);
    EXPECT_EQ(out.size(), plan.size) << "the cost is not exact";
    return out;
}

ints decoded(std::string_view bytes, size_t count) {
    ints values(count);
    EXPECT_TRUE(decode_ints(bytes, values));
    return values;
}

TEST(int_vector, every_kind_comes_back_and_costs_what_was_said) {
    for (uint64_t seed = 0; seed < 2'000; ++seed) {
        SCOPED_TRACE(seed);
        const auto values = samples::ints(seed, vector_size);
        ASSERT_EQ(decoded(coded(values), values.size()), values);
    }
}

TEST(int_vector, the_ends_of_the_range_come_back) {
    using samples::int_max;
    using samples::int_min;
    for (const auto& values : {ints{int_min}, ints{int_max}, ints{int_min, int_max}, ints{int_max, int_min, int_max, 0, -1},
                               ints{int_min, int_min + 7, int_max - 7, int_max}, ints{0, int_min, 1, int_max}}) {
        EXPECT_EQ(decoded(coded(values), values.size()), values);
    }
}

TEST(int_vector, a_constant_takes_its_own_bytes_and_two_more) {
    EXPECT_EQ(coded(ints(1'000, 5)).size(), 3u);
}

TEST(int_vector, regular_steps_take_no_bits_each) {
    ints values(vector_size);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = 638'000'000'000'000'000 - 100'000'000 * static_cast<int64_t>(i);
    }
    EXPECT_EQ(plan_ints(values).form, int_form::differences);
    EXPECT_LE(coded(values).size(), 20u);
}

TEST(int_vector, growing_steps_take_no_bits_each) {
    ints values(vector_size);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<int64_t>(i * i) * 1'000;
    }
    EXPECT_EQ(plan_ints(values).form, int_form::second_differences);
    EXPECT_LE(coded(values).size(), 12u);
}

TEST(int_vector, a_common_divisor_is_taken_out) {
    ints values(vector_size);
    samples::generator random(1);
    for (auto& v : values) {
        v = 17 + 1'000'000 * static_cast<int64_t>(random() % 16);
    }
    const auto plan = plan_ints(values);
    EXPECT_EQ(plan.frame.divisor, 1'000'000u);
    EXPECT_EQ(plan.frame.width, 4);
}

TEST(int_vector, outliers_on_both_sides_do_not_widen_the_rest) {
    ints values(vector_size);
    samples::generator random(1);
    for (auto& v : values) {
        v = 1'000 + static_cast<int64_t>(random() % 16);
    }
    values[100] = samples::int_min;
    values[200] = samples::int_max;
    values[300] = -5;
    const auto plan = plan_ints(values);
    EXPECT_EQ(plan.frame.width, 4);
    EXPECT_EQ(plan.frame.patches_count, 3u);
    EXPECT_EQ(decoded(coded(values), values.size()), values);
}

ints walk(uint64_t seed, size_t count, double deviation) {
    samples::generator random(seed);
    std::normal_distribution<double> step(0, deviation);
    ints values(count);
    double at = 50;
    for (auto& v : values) {
        v = std::llround(at += step(random));
    }
    return values;
}

TEST(int_vector, a_walk_takes_little_more_than_it_tells) {
    // The entropy of a normal step: log2 of its deviation and 2.05 bits.
    for (const double deviation : {1.0, 3.0, 10.0, 100.0, 1'000.0}) {
        SCOPED_TRACE(deviation);
        const auto values = walk(1, vector_size, deviation);
        EXPECT_TRUE(plan_ints(values).frame.has_codes());
        // Rounded at either end a step deviates by more than the walk does.
        const double told_bits = 0.5 * std::log2(deviation * deviation + 1.0 / 6) + 2.05;
        EXPECT_LE(static_cast<double>(coded(values).size() * 8), (told_bits + 0.35) * vector_size);
        EXPECT_EQ(decoded(coded(values), values.size()), values);
    }
}

TEST(int_vector, a_walk_with_leaps_keeps_its_codes) {
    auto values = walk(2, vector_size, 2);
    for (size_t i = 300; i < values.size(); ++i) {
        values[i] += i < 700 ? 1'000'000'000 : samples::int_min / 2;
    }
    const auto plan = plan_ints(values);
    EXPECT_TRUE(plan.frame.has_codes());
    EXPECT_EQ(plan.frame.patches_count, 2u);
    EXPECT_EQ(decoded(coded(values), values.size()), values);
}

TEST(int_vector, numbers_that_are_all_as_likely_have_no_codes) {
    samples::generator random(1);
    ints values(vector_size);
    for (auto& v : values) {
        v = static_cast<int64_t>(random() % 16);
    }
    EXPECT_FALSE(plan_ints(values).frame.has_codes());
}

TEST(int_vector, walks_of_any_length_come_back) {
    for (size_t count = 1; count <= vector_size; count += 1 + count / 40) {
        const auto values = walk(count, count, 0.2 + static_cast<double>(count % 7));
        ASSERT_EQ(decoded(coded(values), values.size()), values) << count;
    }
}

TEST(int_vector, cut_or_extended_bytes_are_refused) {
    for (uint64_t seed = 0; seed < 80; ++seed) {
        const auto values = seed < 64 ? samples::ints(seed, 200) : walk(seed, 200, 2);
        const auto good = coded(values);
        ints out(values.size());
        for (size_t size = 0; size < good.size(); ++size) {
            EXPECT_FALSE(decode_ints(good.substr(0, size), out)) << seed << " " << size;
        }
        EXPECT_FALSE(decode_ints(good + '\0', out));
    }
}

TEST(int_vector, changed_bytes_never_misbehave) {
    samples::generator random(7);
    for (uint64_t seed = 0; seed < 2'000; ++seed) {
        const auto values = seed % 2 == 0 ? samples::ints(seed, 300) : walk(seed, 300, 2);
        auto bytes = coded(values);
        bytes[random() % bytes.size()] = static_cast<char>(random());
        ints out(values.size());
        std::ignore = decode_ints(bytes, out);
    }
}

TEST(int_column, any_range_comes_back) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const auto values = samples::ints(seed, 5'000);
        std::string bytes;
        encode_int_column(values, bytes);
        const auto column = int_column::open(bytes, values.size());
        ASSERT_TRUE(column);
        samples::generator random(seed);
        for (int i = 0; i < 10; ++i) {
            const size_t begin = random() % (values.size() + 1);
            const size_t end = begin + random() % (values.size() - begin + 1);
            ints out(end - begin);
            ASSERT_TRUE(column->decode(begin, out));
            ASSERT_EQ(out, ints(values.begin() + static_cast<ptrdiff_t>(begin), values.begin() + static_cast<ptrdiff_t>(end)));
        }
    }
}

TEST(int_column, a_range_looks_only_at_its_own_vectors) {
    ints values(3 * vector_size);
    samples::generator random(1);
    for (auto& v : values) {
        v = static_cast<int64_t>(random());
    }
    std::string bytes;
    encode_int_column(values, bytes);
    bytes[bytes.size() / 2] ^= 0x55; // in the second vector: a residual
    bytes.back() ^= 0x55;            // in the last one
    ints out(vector_size);
    ASSERT_TRUE(int_column::open(bytes, values.size())->decode(0, out));
    EXPECT_EQ(out, ints(values.begin(), values.begin() + vector_size));
}

TEST(int_column, an_empty_one_has_no_bytes) {
    std::string bytes;
    encode_int_column({}, bytes);
    EXPECT_EQ(bytes, "");
    EXPECT_TRUE(int_column::open("", 0));
    EXPECT_FALSE(int_column::open("x", 0));
    EXPECT_FALSE(int_column::open("", 1));
}

TEST(int_column, a_constant_one_has_no_vectors) {
    std::string bytes;
    encode_int_column(ints(column_values_max, -3), bytes);
    EXPECT_EQ(bytes.size(), 2u);
    ints out(3);
    ASSERT_TRUE(int_column::open(bytes, column_values_max)->decode(column_values_max - 3, out));
    EXPECT_EQ(out, ints(3, -3));
}

TEST(int_column, more_values_than_a_column_can_have_are_refused) {
    EXPECT_FALSE(int_column::open(std::string(1'000, '\0'), column_values_max + 1));
}

} // namespace
