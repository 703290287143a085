#include "query/core/native/aggregate_state.hh"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <gtest/gtest.h>

namespace {

using namespace query;
using tables::value;
using kind = aggregate_kind;

double real_of(const aggregate_state& s, kind k) {
    return s.result(k, 1)->value().as_real();
}

TEST(aggregate_state, whole_numbers_stay_whole) {
    aggregate_state s;
    s.add(state_kind::sum, 0, value::of_int64(INT64_MAX - 1));
    s.add(state_kind::sum, 0, value::of_int32(1));
    EXPECT_EQ(s.result(kind::sum, 1)->value().as_int64(), INT64_MAX);
    s.add(state_kind::sum, 0, value::of_int64(1));
    EXPECT_EQ(real_of(s, kind::sum), std::pow(2.0, 63)) << "too large for 64 bits: a double from here on";
}

// Whatever way they are added up, one by one or several at a time.
TEST(aggregate_state, a_column_adds_up_like_its_values) {
    std::mt19937_64 random(1);
    for (const bool has_nulls : {false, true}) {
        arrow::Int64Builder builder;
        aggregate_state one_by_one;
        for (int i = 0; i < 1000; ++i) {
            const auto v = i % 3 == 0 ? INT64_MIN : i % 3 == 1 ? INT64_MAX : static_cast<int64_t>(random());
            if (has_nulls && i % 7 == 0) {
                ASSERT_TRUE(builder.AppendNull().ok());
                continue;
            }
            ASSERT_TRUE(builder.Append(v).ok());
            if (i >= 3) {
                one_by_one.add(state_kind::sum, 0, value::of_int64(v));
            }
        }
        const auto array = builder.Finish().ValueOrDie();
        aggregate_state whole;
        whole.add_column(state_kind::sum, std::vector<int64_t>(997), {tables::value_type::int64, array.get()}, 3);
        EXPECT_EQ(real_of(whole, kind::avg), real_of(one_by_one, kind::avg));
    }
}

TEST(aggregate_state, sums_of_doubles_lose_nothing_to_their_order) {
    aggregate_state s;
    for (double v : {1e16, 1.0, -1e16, 1.0}) {
        s.add(state_kind::sum, 0, value::of_real(v));
    }
    EXPECT_EQ(real_of(s, kind::sum), 2.0);
    EXPECT_EQ(real_of(s, kind::avg), 0.5);
}

TEST(aggregate_state, what_is_no_number_is_counted_and_can_be_last) {
    aggregate_state counted;
    aggregate_state summed;
    aggregate_state last;
    for (const auto& v : {value::of_string("x"), value::of_boolean(true), value::of_real(std::nan(""))}) {
        counted.add(state_kind::count, 0, v);
        summed.add(state_kind::sum, 0, v);
        last.add(state_kind::last, 5, v);
    }
    EXPECT_EQ(counted.result(kind::count, 1)->value().as_int64(), 3);
    EXPECT_FALSE(summed.result(kind::sum, 1));
    EXPECT_TRUE(last.result(kind::last, 1));
}

TEST(aggregate_state, ends_go_by_time_and_then_by_value_not_by_arrival) {
    for (const bool is_reversed : {false, true}) {
        aggregate_state first;
        aggregate_state last;
        std::vector<std::pair<int64_t, int>> samples{{5, 1}, {5, 2}, {9, 4}, {9, 3}};
        if (is_reversed) {
            std::ranges::reverse(samples);
        }
        for (const auto& [time, v] : samples) {
            first.add(state_kind::first, time, value::of_int64(v));
            last.add(state_kind::last, time, value::of_int64(v));
        }
        EXPECT_EQ(first.result(kind::first, 1)->value().as_int64(), 1);
        EXPECT_EQ(last.result(kind::last, 1)->value().as_int64(), 4);
    }
}

TEST(aggregate_state, ends_of_one_time_go_by_number_whatever_their_texts_and_types) {
    const value rising[] = {value::of_int64(-20), value::of_int32(-3), value::of_int64(9),    value::of_real(9.5),
                            value::of_int32(10),  value::of_real(1e3), value::of_int64(2000), value::of_string("1")};
    for (const auto& lesser : rising) {
        for (const auto& greater : std::span(&lesser + 1, std::end(rising))) {
            for (const bool is_reversed : {false, true}) {
                aggregate_state first;
                aggregate_state last;
                for (const auto& v : {is_reversed ? greater : lesser, is_reversed ? lesser : greater}) {
                    first.add(state_kind::first, 5, v);
                    last.add(state_kind::last, 5, v);
                }
                EXPECT_TRUE(identical(first.result(kind::first, 1)->value(), lesser));
                EXPECT_TRUE(identical(last.result(kind::last, 1)->value(), greater));
            }
        }
    }
}

TEST(aggregate_state, extremes_of_whole_numbers_beside_doubles_are_not_rounded) {
    constexpr int64_t large = int64_t{1} << 53;
    for (const bool is_reversed : {false, true}) {
        std::vector<value> both{value::of_real(static_cast<double>(large)), value::of_int64(large + 1)};
        if (is_reversed) {
            std::ranges::reverse(both);
        }
        aggregate_state s;
        for (const auto& v : both) {
            s.add(state_kind::extremes, 0, v);
        }
        EXPECT_TRUE(identical(s.result(kind::max, 1)->value(), value::of_int64(large + 1)));
        EXPECT_TRUE(identical(s.result(kind::min, 1)->value(), value::of_real(static_cast<double>(large))));
    }
}

TEST(aggregate_state, a_text_that_is_last_counts_as_memory) {
    aggregate_state s;
    s.add(state_kind::last, 1, value::of_string(std::string(10'000, 'x')));
    EXPECT_GE(s.heap_bytes(), 10'000u);
    s.add(state_kind::last, 2, value::of_int64(1));
    EXPECT_LT(s.heap_bytes(), 10'000u);
}

TEST(aggregate_state, merged_parts_are_as_good_as_the_whole) {
    std::mt19937_64 random(1);
    for (const auto k : {state_kind::count, state_kind::sum, state_kind::extremes, state_kind::moments, state_kind::first,
                         state_kind::last, state_kind::quantiles}) {
        aggregate_state whole;
        aggregate_state parts[3];
        for (int i = 0; i < 300; ++i) {
            const auto v = random() % 2 == 0 ? value::of_int64(static_cast<int64_t>(random() % 100))
                                             : value::of_real(static_cast<double>(random() % 1000) / 7);
            whole.add(k, i % 50, v);
            parts[random() % 3].add(k, i % 50, v);
        }
        aggregate_state merged;
        for (const auto& part : parts) {
            merged.merge(k, part);
        }
        for (const auto a : {kind::count, kind::sum, kind::avg, kind::min, kind::max, kind::first, kind::last, kind::stddev,
                             kind::p50, kind::p99}) {
            if (state_of(a) != k) {
                continue;
            }
            const auto of = [&](const aggregate_state& s) { return number::of(s.result(a, 1)->value())->real; };
            EXPECT_NEAR(of(merged), of(whole), 1e-9 * std::abs(of(whole))) << static_cast<int>(a);
        }
    }
}

TEST(quantiles, exact_ones_are_values_that_occur) {
    quantiles q;
    for (int i = 1; i <= 100; ++i) {
        q.add(i);
    }
    EXPECT_EQ(q.at(0.50), 50);
    EXPECT_EQ(q.at(0.99), 99);
    EXPECT_EQ(q.at(1.0), 100);
    EXPECT_FALSE(quantiles().at(0.5));
}

TEST(quantiles, a_sketch_keeps_its_bound) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> wide(0, 8);
    quantiles exact;
    quantiles sketch;
    sketch.condense();
    for (int i = 0; i < 20'000; ++i) {
        const double v = (random() % 3 == 0 ? -1 : 1) * std::exp(wide(random));
        exact.add(v);
        sketch.add(v);
    }
    exact.add(0);
    sketch.add(0);
    for (double rank : {0.001, 0.1, 0.33, 0.5, 0.9, 0.95, 0.99, 1.0}) {
        const double wanted = *exact.at(rank);
        EXPECT_LE(std::abs(*sketch.at(rank) - wanted), quantile_error * std::abs(wanted) * 1.0001) << rank;
    }
    EXPECT_LT(sketch.bytes(), 300'000u);
}

TEST(quantiles, sketches_and_values_add_up) {
    quantiles a;
    quantiles b;
    b.condense();
    for (int i = 1; i <= 100; ++i) {
        (i % 2 == 0 ? a : b).add(i);
    }
    a.merge(b);
    EXPECT_FALSE(a.is_exact());
    EXPECT_NEAR(*a.at(0.5), 50, 50 * quantile_error);
}

TEST(quantiles, many_values_are_told_exactly_in_whatever_parts_they_came) {
    std::mt19937_64 random(3);
    std::vector<double> all{0.0, INFINITY, -INFINITY};
    for (int i = 0; i < 50'000; ++i) {
        all.push_back(static_cast<double>(random() % 30'000) / 7 - 1'000);
    }
    quantiles whole;
    quantiles parts[3];
    for (size_t i = 0; i < all.size(); ++i) {
        whole.add(all[i]);
        parts[i % 11 == 0 ? 0 : i % 3 == 0 ? 1 : 2].add(all[i]);
    }
    quantiles merged;
    for (const auto& part : parts) {
        merged.merge(part);
    }
    std::ranges::sort(all);
    for (double rank : {0.000001, 0.1, 0.5, 0.9, 0.95, 0.99, 1.0}) {
        const double wanted = all[static_cast<size_t>(std::ceil(rank * static_cast<double>(all.size()))) - 1];
        EXPECT_EQ(whole.at(rank), wanted) << rank;
        EXPECT_EQ(merged.at(rank), wanted) << rank;
    }
}

} // namespace
