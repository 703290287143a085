// Drops tables whose time is over, by the policies in the catalog: by itself, or when asked. Lives on shard 0.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "compaction/core/retention.hh"
#include "tables/engine.hh"

namespace compaction {

struct retention_config {
    std::string account; // whose policies and tables
    std::function<base::tick()> now;
    std::chrono::milliseconds every = std::chrono::seconds(10);
    std::chrono::seconds pause = std::chrono::minutes(1); // between two automatic drops of one policy
    size_t policies_max = 10'000;                         // as many as there may be families
    // The log sources: what the periods of one take, and how one goes. May be empty.
    std::function<seastar::future<std::vector<aged_table>>(std::string source)> log_periods{};
    std::function<seastar::future<base::expected<void>>(std::string source, base::tick start)> drop_log_period{};
    // Told of every drop, in a sentence, before it is reported. Never fails. May be empty.
    std::function<seastar::future<>(std::string)> audit{};
};

struct retention_report {
    std::vector<table_to_drop> dropped; // or would be
    uint64_t bytes = 0;                 // that came back
    std::vector<std::string> failures;
};

class retention {
public:
    // The engines must outlive it.
    retention(seastar::sharded<tables::engine>&, retention_config);

    void start();
    seastar::future<> stop();

    std::vector<retention_policy> policies() const;
    // Durable when it resolves. A policy without any bound takes the old one away. invalid_argument when there are too many.
    seastar::future<base::expected<void>> set(retention_policy);
    // All that is due by the wall clock, at once; or only what would be.
    seastar::future<retention_report> run(bool is_dry);
    // The oldest tables of all policies, until they make up so many bytes of segments; never one whose period is not over, never
    // the newest of a policy, and none after the wall clock has jumped.
    seastar::future<retention_report> drop_oldest(uint64_t bytes_wanted);
    // Of the disk, what is taken only for a while (tables::engine::passing_bytes_here), of all shards.
    seastar::future<uint64_t> passing_bytes() const;
    // When each table that a policy is about will be due.
    std::map<base::table_id, base::tick> next_drops() const;
    // False after the wall clock has jumped: nothing is dropped automatically until the next start.
    bool is_automatic() const { return _is_automatic; }

private:
    using clock = std::chrono::steady_clock;

    seastar::future<> run_by_itself();
    // Says so, once, when it is not any more.
    bool is_clock_good();
    // The tables that a policy is about.
    seastar::future<std::vector<aged_table>> tables_of(std::string policy_name) const;
    seastar::future<std::vector<table_to_drop>> due(retention_policy) const;
    seastar::future<uint64_t> rows_of(base::table_id) const;
    seastar::future<base::expected<void>> remove(const aged_table&);
    seastar::future<bool> drop(const table_to_drop&, retention_report&);
    void register_metrics();

    seastar::sharded<tables::engine>& _engines;
    const retention_config _config;
    clock_watch _watch;
    bool _is_automatic = true;
    std::map<std::string, clock::time_point> _last_drops; // automatic, by policy
    uint64_t _drops_total = 0;
    uint64_t _bytes_total = 0;
    seastar::metrics::metric_groups _metrics;
    seastar::timer<> _timer;
    seastar::semaphore _turn{1};
    seastar::gate _work;
};

} // namespace compaction
