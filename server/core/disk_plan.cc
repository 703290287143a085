#include "server/core/disk_plan.hh"

#include <algorithm>

namespace server {
namespace {

// A log file takes the largest transaction several times over, and never a large part of a small disk.
constexpr uint64_t log_file_bytes_min = 8u << 20;
constexpr uint64_t log_file_bytes_max = 64u << 20;
constexpr unsigned log_file_share = 64;
// Of the disk: all logs together, before a round.
constexpr unsigned logs_share = 4;

} // namespace

disk_plan plan_disk(uint64_t total_bytes, unsigned shards_count, const disk_wishes& wishes) {
    disk_plan plan{.reserve_bytes = wishes.reserve_bytes};
    const auto percent = wishes.high_water_percent == 0 ? high_water_percent_default : wishes.high_water_percent;
    const uint64_t mark = total_bytes / 100 * percent;
    if (wishes.drops_oldest) {
        plan.high_water_bytes = mark;
    } else if (wishes.high_water_percent != 0) {
        plan.reserve_bytes = std::max(plan.reserve_bytes, total_bytes - mark);
    }
    const auto whole = total_bytes / shards_count / log_file_share / log_file_bytes_min * log_file_bytes_min;
    plan.log_file_bytes = std::clamp(whole, log_file_bytes_min, log_file_bytes_max);
    plan.log_bytes_max = std::max(total_bytes / shards_count / logs_share, 2 * log_file_bytes_min);
    return plan;
}

} // namespace server
