#include "server/core/disk_plan.hh"

#include <gtest/gtest.h>

namespace {

using namespace server;

constexpr uint64_t mb = 1u << 20;
constexpr uint64_t gb = 1u << 30;

TEST(disk_plan, a_large_disk_has_logs_of_the_usual_size_and_only_the_reserve) {
    const auto plan = plan_disk(500 * gb, 4, {.reserve_bytes = 256 * mb});
    EXPECT_EQ(plan.log_file_bytes, 64 * mb);
    EXPECT_EQ(plan.reserve_bytes, 256 * mb);
    EXPECT_EQ(plan.high_water_bytes, 0u);
}

TEST(disk_plan, a_small_disk_is_not_eaten_by_logs) {
    const auto plan = plan_disk(200 * mb, 1, {});
    EXPECT_EQ(plan.log_file_bytes, 8 * mb);
    EXPECT_EQ(plan.log_bytes_max, 50 * mb);
}

TEST(disk_plan, a_high_water_mark_is_a_larger_reserve_unless_tables_may_go) {
    const auto refusing = plan_disk(1000 * mb, 1, {.reserve_bytes = 10 * mb, .high_water_percent = 80});
    EXPECT_NEAR(static_cast<double>(refusing.reserve_bytes), 200.0 * mb, 100);
    EXPECT_EQ(refusing.high_water_bytes, 0u);
    const auto dropping = plan_disk(1000 * mb, 1, {.reserve_bytes = 10 * mb, .high_water_percent = 80, .drops_oldest = true});
    EXPECT_EQ(dropping.reserve_bytes, 10 * mb);
    EXPECT_NEAR(static_cast<double>(dropping.high_water_bytes), 800.0 * mb, 100);
}

TEST(disk_plan, dropping_without_a_mark_begins_at_the_usual_one) {
    const auto plan = plan_disk(1000 * mb, 1, {.drops_oldest = true});
    EXPECT_NEAR(static_cast<double>(plan.high_water_bytes), 900.0 * mb, 100);
}

} // namespace
