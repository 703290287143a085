#include "server/shares.hh"

#include <algorithm>
#include <memory>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/memory.hh>
#include <seastar/core/smp.hh>

#include "base/ticks.hh"
#include "server/core/accounts.hh"
#include "server/wall_clock.hh"
#include "shard/dma_disk.hh"

namespace server {
namespace {

// Of a shard's memory: rows that are not in segments yet. The rest is for queries, caches, connections and the log.
constexpr unsigned memtable_share = 3;
constexpr unsigned cache_share = 8;
constexpr unsigned merge_share = 8;
constexpr unsigned series_index_share = 16;
// Of the whole process's: what one query may hold.
constexpr unsigned query_memory_share = 8;

// Of the connections there can be: each HTTP face a sixth, and all TCP ports for lines together the half that is left.
constexpr unsigned http_connections_share = 6;
constexpr unsigned line_connections_share = 2;

} // namespace

seastar::future<disk_plan> disk_plan_for(settings s) {
    shard::dma_disk disk(s.data);
    const auto space = co_await disk.space();
    co_return plan_disk(space.total_bytes, seastar::smp::count,
                        {s.disk_reserve_bytes, s.disk_high_water_percent, s.disk_drop_oldest});
}

tables::engine_config engine_config_for(const settings& s, const disk_plan& disk, seastar::scheduling_group flush) {
    tables::engine_config config;
    config.make_disk = [data = s.data] { return std::make_unique<shard::dma_disk>(data); };
    config.now = wall_clock;
    config.shards_count = seastar::smp::count;
    const auto memory = seastar::memory::stats().total_memory();
    // They hold as much of the log.
    config.memtable_bytes_max = std::min(memory / memtable_share, disk.log_bytes_max);
    config.cache_bytes_max = memory / cache_share;
    // While a round is written, as much again may come in.
    config.flush.memtable_bytes = config.memtable_bytes_max / 2;
    config.flush.log_bytes = config.memtable_bytes_max;
    config.flush.group = flush;
    config.log.file_bytes = disk.log_file_bytes;
    config.disk_reserve_bytes = disk.reserve_bytes;
    config.admission.partition_rate_max = s.partition_rate_max;
    return config;
}

compaction::runner_config merging_config_for(seastar::scheduling_group upkeep) {
    return {.now = wall_clock, .memory_bytes = seastar::memory::stats().total_memory() / merge_share, .group = upkeep};
}

// Families and sources belong to the first account.
query::executor_config query_config_for(const settings& s, const resource_plan& plan, seastar::scheduling_group group) {
    return {
        .account = first_account(s.accounts),
        .budgets = {.memory_bytes_max = std::min(query::budgets().memory_bytes_max, plan.allocator_bytes / query_memory_share)},
        .now_ns = [] { return base::unix_ns(wall_clock()); },
        .group = group,
        .series_index_bytes_max = plan.allocator_bytes / seastar::smp::count / series_index_share};
}

http::server_config http_config_for(std::string face, const resource_plan& plan) {
    return {.face = std::move(face), .connections_max = plan.connections_max(http_connections_share)};
}

unsigned line_connections_max(const resource_plan& plan) {
    return plan.connections_max(line_connections_share);
}

} // namespace server
