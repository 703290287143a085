#include "tables/core/period.hh"

#include <random>

#include <gtest/gtest.h>

namespace {

using namespace tables;

constexpr period_kind all[] = {period_kind::hour, period_kind::day, period_kind::week, period_kind::month};

base::tick at(std::string_view text) {
    return *base::parse_time(text);
}

TEST(period, names_are_those_of_the_interface) {
    EXPECT_EQ(parse_period("1h"), period_kind::hour);
    EXPECT_EQ(parse_period("1d"), period_kind::day);
    EXPECT_EQ(parse_period("7d"), period_kind::week);
    EXPECT_EQ(parse_period("month"), period_kind::month);
    for (std::string_view text : {"", "1m", "2h", "week", "1D", "1d "}) {
        EXPECT_EQ(parse_period(text), std::nullopt) << text;
    }
    for (const auto p : all) {
        EXPECT_EQ(parse_period(period_text(p)), p);
    }
}

TEST(period, a_time_is_in_the_period_that_begins_before_it) {
    const auto t = at("2026-11-18T09:30:15.5Z"); // a Wednesday
    EXPECT_EQ(start_of(period_kind::hour, t), at("2026-11-18T09:00:00Z"));
    EXPECT_EQ(end_of(period_kind::hour, t), at("2026-11-18T10:00:00Z"));
    EXPECT_EQ(start_of(period_kind::day, t), at("2026-11-18"));
    EXPECT_EQ(end_of(period_kind::day, t), at("2026-11-19"));
    EXPECT_EQ(start_of(period_kind::week, t), at("2026-11-16"));
    EXPECT_EQ(end_of(period_kind::week, t), at("2026-11-23"));
    EXPECT_EQ(start_of(period_kind::month, t), at("2026-11-01"));
    EXPECT_EQ(end_of(period_kind::month, t), at("2026-12-01"));
    EXPECT_EQ(end_of(period_kind::month, at("2026-12-31T23:59:59Z")), at("2027-01-01"));
    EXPECT_EQ(end_of(period_kind::month, at("2028-02-01")), at("2028-03-01"));
}

TEST(period, starts_are_digits_in_table_names) {
    const auto t = at("2026-11-18T09:30:15Z");
    EXPECT_EQ(start_digits(period_kind::hour, t), "2026111809");
    EXPECT_EQ(start_digits(period_kind::day, t), "20261118");
    EXPECT_EQ(start_digits(period_kind::week, t), "20261116");
    EXPECT_EQ(start_digits(period_kind::month, t), "202611");
    EXPECT_EQ(start_digits(period_kind::month, base::tick{0}), "000101");
}

TEST(period, digits_that_are_no_start_are_refused) {
    EXPECT_EQ(parse_start_digits(period_kind::day, "20261116"), at("2026-11-16"));
    EXPECT_EQ(parse_start_digits(period_kind::week, "20261116"), at("2026-11-16"));
    EXPECT_EQ(parse_start_digits(period_kind::week, "20261117"), std::nullopt) << "a Tuesday";
    for (std::string_view digits : {"", "2026111", "202611160", "20261316", "20260230", "00001116", "2026111x", "20261100"}) {
        EXPECT_EQ(parse_start_digits(period_kind::day, digits), std::nullopt) << digits;
    }
    EXPECT_EQ(parse_start_digits(period_kind::hour, "2026111624"), std::nullopt);
    EXPECT_EQ(parse_start_digits(period_kind::month, "202613"), std::nullopt);
}

TEST(period, periods_lie_side_by_side) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 100'000; ++i) {
        const auto p = all[random() % 4];
        const base::tick t{static_cast<int64_t>(random() % (base::tick_max.value + 1))};
        const auto start = start_of(p, t);
        const auto end = end_of(p, t);
        ASSERT_LE(start, t);
        ASSERT_LT(t, end);
        ASSERT_EQ(start_of(p, start), start);
        ASSERT_EQ(start_of(p, base::tick{end.value - 1}), start);
        if (end <= base::tick_max) {
            ASSERT_EQ(start_of(p, end), end);
        }
        ASSERT_EQ(parse_start_digits(p, start_digits(p, t)), start);
    }
    EXPECT_EQ(end_of(period_kind::month, base::tick_max).value, base::tick_max.value + 1);
}

} // namespace
