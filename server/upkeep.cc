#include "server/upkeep.hh"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include <seastar/core/coroutine.hh>

#include "base/ticks.hh"
#include "server/audit.hh"
#include "server/log_wiring.hh"
#include "server/own_metrics.hh"
#include "server/shares.hh"
#include "server/wall_clock.hh"
#include "tables/core/retention_policy.hh"

namespace server {
namespace {

constexpr int64_t own_keep_ticks = int64_t{7} * 24 * 3600 * base::ticks_per_second;

compaction::retention_config retention_config_for(std::string account, seastar::sharded<blobs::log_store>& logs) {
    auto audit = [&logs](std::string sentence) { return write_audit_record(logs.local(), std::move(sentence)); };
    compaction::retention_config config{.account = std::move(account), .now = wall_clock, .audit = std::move(audit)};
    add_log_retention(config, logs);
    return config;
}

compaction::scrub_config scrub_config_for(const upkeep_config& config) {
    return {.now = wall_clock, .group = config.group, .every = std::chrono::days(config.scrub_days)};
}

} // namespace

upkeep::upkeep(seastar::sharded<tables::engine>& engines, seastar::sharded<blobs::log_store>& logs, shard::disk& disk,
               upkeep_config config)
    : _engines(engines), _config(std::move(config)), _keeper(engines, retention_config_for(_config.account, logs)),
      _verifier(engines, logs, disk, scrub_config_for(_config)) {
    if (_config.high_water_bytes != 0) {
        _space.emplace(disk, _keeper, compaction::space_config{.high_water_bytes = _config.high_water_bytes});
    }
}

seastar::future<> upkeep::start() {
    co_await _mergers.start(std::ref(_engines), merging_config_for(_config.group));
    co_await _mergers.invoke_on_all(&compaction::runner::start);
    _keeper.start();
    if (_space) {
        _space->start();
    }
    co_await _verifier.start();
}

seastar::future<> upkeep::stop() {
    co_await _verifier.stop();
    if (_space) {
        co_await _space->stop();
    }
    co_await _keeper.stop();
    co_await _mergers.stop();
}

seastar::future<base::expected<void>> upkeep::keep_own_for_a_while() {
    const auto& catalog = _engines.local().catalog();
    const auto policy = tables::find_retention(catalog, _config.account, own_family);
    if (policy.keep_ticks != 0 || policy.max_bytes != 0 || policy.period) {
        co_return base::expected<void>();
    }
    // Where there are tables of it already there was a policy, and somebody has taken it away.
    const auto all = catalog.list(_config.account, {}, tables::tables_count_max);
    if (std::ranges::any_of(all, [](const auto& t) { return t.family && t.family->family == own_family; })) {
        co_return base::expected<void>();
    }
    co_return co_await _keeper.set({.name = own_family, .keep_ticks = own_keep_ticks});
}

} // namespace server
