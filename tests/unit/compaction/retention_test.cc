#include "compaction/core/retention.hh"

#include <algorithm>

#include <gtest/gtest.h>

namespace {

using namespace compaction;

constexpr int64_t day = int64_t{86'400} * base::ticks_per_second;

base::tick at(const char* text) {
    return *base::parse_time(text);
}

aged_table table(uint64_t id, const char* end, uint64_t bytes) {
    return {base::table_id{id}, "a", "t" + std::to_string(id), at(end), bytes};
}

std::vector<uint64_t> ids(const std::vector<table_to_drop>& doomed) {
    std::vector<uint64_t> all;
    for (const auto& d : doomed) {
        all.push_back(d.table.id.value);
    }
    return all;
}

TEST(retention, lengths_have_one_unit) {
    EXPECT_EQ(tables::parse_length("30d"), 30 * day);
    EXPECT_EQ(tables::parse_length("1w"), 7 * day);
    EXPECT_EQ(tables::parse_length("90s"), 90 * base::ticks_per_second);
    for (const char* bad : {"", "d", "0d", "-1d", "1", "1.5d", "1D", "99999999999999w", "1dd"}) {
        EXPECT_EQ(tables::parse_length(bad), std::nullopt) << bad;
    }
    EXPECT_EQ(tables::length_text(14 * day), "2w");
    EXPECT_EQ(tables::length_text(90 * base::ticks_per_second), "90s");
}

TEST(retention, a_policy_comes_back) {
    for (const retention_policy& p :
         {retention_policy{"cpu", tables::period_kind::hour, 30 * day, 1'000'000}, retention_policy{"x", {}, 0, 0}}) {
        EXPECT_EQ(tables::decode_policy(p.name, tables::encode(p)).value(), p);
    }
    EXPECT_FALSE(tables::decode_policy("cpu", "keep=soon"));
    EXPECT_FALSE(tables::decode_policy("cpu", "colour=red"));
}

TEST(retention, only_wholly_expired_tables_go) {
    const retention_policy keep_two_days{.name = "cpu", .keep_ticks = 2 * day};
    const auto now = at("2026-11-16T12:00:00Z");
    const auto doomed = tables_to_drop(
        keep_two_days,
        {table(1, "2026-11-14T12:00:00Z", 5), table(2, "2026-11-14T12:00:00.0000001Z", 5), table(3, "2026-11-01T00:00:00Z", 5)},
        now);
    EXPECT_EQ(ids(doomed), (std::vector<uint64_t>{3, 1}));
}

TEST(retention, too_many_bytes_take_the_oldest_but_never_the_open_period) {
    const retention_policy small{.name = "cpu", .max_bytes = 10};
    const auto now = at("2026-11-16T12:00:00Z");
    const auto doomed = tables_to_drop(
        small, {table(1, "2026-11-17T00:00:00Z", 50), table(2, "2026-11-16T00:00:00Z", 20), table(3, "2026-11-15T00:00:00Z", 20)},
        now);
    EXPECT_EQ(ids(doomed), (std::vector<uint64_t>{3, 2}));
    EXPECT_EQ(doomed[0].reason, drop_reason::over_max_bytes);
}

TEST(retention, a_full_disk_takes_the_oldest_periods_that_have_bytes) {
    const auto now = at("2026-11-16T12:00:00Z");
    const std::vector tables{table(1, "2026-11-17T00:00:00Z", 50), table(2, "2026-11-16T00:00:00Z", 20),
                             table(3, "2026-11-15T00:00:00Z", 20), table(4, "2026-11-14T00:00:00Z", 0)};
    EXPECT_EQ(ids(oldest_to_drop(tables, now, 1)), (std::vector<uint64_t>{3}));
    EXPECT_EQ(ids(oldest_to_drop(tables, now, 21)), (std::vector<uint64_t>{3, 2}));
    EXPECT_EQ(ids(oldest_to_drop(tables, now, 1000)), (std::vector<uint64_t>{3, 2})) << "never the open period";
    EXPECT_TRUE(oldest_to_drop(tables, now, 0).empty());
}

TEST(retention, what_is_being_written_to_is_left_out) {
    auto hour = table(6, "2026-11-16T04:00:00Z", 10);
    hour.log_period = at("2026-11-16T03:00:00Z");
    auto later_hour = table(7, "2026-11-16T05:00:00Z", 10);
    later_hour.log_period = at("2026-11-16T04:00:00Z");
    std::vector tables{table(1, "2026-11-18T00:00:00Z", 0), table(2, "2026-11-16T00:00:00Z", 20), later_hour, hour,
                       table(3, "2026-11-15T00:00:00Z", 20)};
    leave_newest(tables);
    std::vector<uint64_t> left;
    std::ranges::transform(tables, std::back_inserter(left), [](const aged_table& t) { return t.id.value; });
    EXPECT_EQ(left, (std::vector<uint64_t>{1, 6, 3}));
    std::vector<aged_table> none;
    leave_newest(none);
    EXPECT_TRUE(none.empty());
}

TEST(retention, the_next_drop_follows_from_what_is_kept) {
    EXPECT_EQ(next_drop({.name = "cpu", .keep_ticks = day}, at("2026-11-16T00:00:00Z")), at("2026-11-17T00:00:00Z"));
    EXPECT_EQ(next_drop({.name = "cpu", .max_bytes = 5}, at("2026-11-16T00:00:00Z")), std::nullopt);
    EXPECT_EQ(next_drop({.name = "cpu", .keep_ticks = base::tick_max.value}, at("2026-11-16T00:00:00Z")), std::nullopt);
}

TEST(retention, without_a_bound_nothing_goes) {
    EXPECT_TRUE(tables_to_drop({.name = "cpu"}, {table(1, "2001-01-01T00:00:00Z", 50)}, at("2026-11-16T12:00:00Z")).empty());
}

TEST(retention, names_that_users_date_themselves_are_understood) {
    EXPECT_EQ(end_of_dated_name("Audit20261116", "Audit"), at("2026-11-17T00:00:00Z"));
    EXPECT_EQ(end_of_dated_name("Audit202612", "Audit"), at("2027-01-01T00:00:00Z"));
    EXPECT_EQ(end_of_dated_name("Audit2026111623", "Audit"), at("2026-11-17T00:00:00Z"));
    for (const char* other : {"Audit", "Audit2026", "Audit20261316", "Auditx0261116", "Other20261116", "Audit20261116x"}) {
        EXPECT_EQ(end_of_dated_name(other, "Audit"), std::nullopt) << other;
    }
}

TEST(retention, a_clock_that_jumped_is_not_believed) {
    clock_watch watch;
    int64_t steady = 0;
    auto wall = at("2026-11-16T12:00:00Z");
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(watch.check(
            {
                wall.value += day,
            },
            steady += day));
    }
    EXPECT_TRUE(watch.check({wall.value += day / 48}, steady)) << "half an hour";
    EXPECT_FALSE(watch.check({wall.value += 40 * day}, steady += day));
    EXPECT_FALSE(watch.check({wall.value += day}, steady += day)) << "until the next start";
}

} // namespace
