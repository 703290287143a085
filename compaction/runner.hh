// Merges segments behind everybody's back: looks at the facts of all tables of its shard now and then, lets the policy choose,
// and does one merge at a time, in a scheduling group of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/timer.hh>

#include "base/ticks.hh"
#include "compaction/core/policy.hh"
#include "tables/engine.hh"

namespace compaction {

struct runner_config {
    policy how;
    std::chrono::milliseconds every = std::chrono::seconds(1);
    std::function<base::tick()> now;
    // For blocks of the files that are merged; 0: as many as the policy says.
    uint64_t memory_bytes = 0;
    seastar::scheduling_group group;
};

struct runner_counters {
    uint64_t merges_total = 0;
    uint64_t failures_total = 0;
    uint64_t bytes_read_total = 0;
    uint64_t bytes_written_total = 0;
};

// One on each shard, beside the engine of that shard, which must outlive it.
class runner {
public:
    runner(seastar::sharded<tables::engine>&, runner_config);

    void start();
    // The merge under way is given up.
    seastar::future<> stop();

    // All merges that are due now, one after the other.
    seastar::future<> run_once();
    const runner_counters& counters() const { return _counters; }

private:
    struct job {
        base::table_id table;
        uint64_t generation;
        merge_choice choice;
    };

    // A table whose merge has failed waits, longer each time: others can be merged meanwhile.
    struct setback {
        std::chrono::seconds pause{0};
        seastar::lowres_clock::time_point until;
    };

    seastar::future<> run();
    std::optional<job> next_job() const;
    bool is_waiting(base::table_id) const;
    // When the table closes; nothing for one that never does.
    std::optional<base::tick> closing_of(base::table_id) const;
    // False when there is no room for any.
    seastar::future<bool> run_job(job);
    void set_back(base::table_id, bool is_longer);
    void forget_dropped();
    void register_metrics();

    tables::engine& _engine;
    const runner_config _config;
    runner_counters _counters;
    std::map<base::table_id, setback> _setbacks; // until a merge of the table succeeds
    seastar::metrics::metric_groups _metrics;
    bool _is_stopping = false;
    seastar::semaphore _turn{1};
    seastar::condition_variable _wake;
    seastar::timer<> _timer;
    seastar::future<> _fiber = seastar::make_ready_future<>();
};

} // namespace compaction
