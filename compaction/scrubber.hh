// Reads everything that is stored and verifies every checksum, so that damage is known before somebody needs what is damaged:
// when asked, as fast as it goes; and by itself, slowly. Lives on shard 0.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/timer.hh>

#include "base/ticks.hh"
#include "blobs/log_store.hh"
#include "shard/core/scrub_record.hh"
#include "shard/disk.hh"
#include "shard/scrub.hh"
#include "tables/engine.hh"

namespace compaction {

using shard::scrub_record;

struct scrub_config {
    std::function<base::tick()> now;
    seastar::scheduling_group group;
    // From the end of one pass to the next by itself; 0: none. The first begins after a start has settled.
    std::chrono::seconds every = std::chrono::days(7);
    std::chrono::seconds first_after = std::chrono::hours(1);
    // Of each shard, by itself.
    uint64_t bytes_per_second = 8u << 20;
};

// Below the data directory: what the last whole pass found.
inline const std::string scrub_file = "scrub";

class scrubber {
public:
    // The stores and the disk, which is that of the data directory, must outlive it.
    scrubber(seastar::sharded<tables::engine>&, seastar::sharded<blobs::log_store>&, shard::disk&, scrub_config);

    // Reads what the last pass found before the server was started.
    seastar::future<> start();
    // A pass under way is given up.
    seastar::future<> stop();

    // A whole pass; one that goes by itself gives way. Nothing when the server stops on the way.
    seastar::future<std::optional<scrub_record>> run();
    // The last whole pass.
    const std::optional<scrub_record>& last() const { return _last; }
    bool is_running() const { return _is_running; }

private:
    seastar::future<> run_by_itself();
    // False when it was given up.
    seastar::future<bool> pass(uint64_t bytes_per_second);
    seastar::future<> keep(scrub_record);
    // Until the next pass by itself.
    std::chrono::seconds pause() const;
    void register_metrics();

    seastar::sharded<tables::engine>& _engines;
    seastar::sharded<blobs::log_store>& _logs;
    shard::disk& _disk;
    const scrub_config _config;
    std::optional<scrub_record> _last;
    bool _is_running = false;
    bool _is_by_itself = false; // the pass under way
    bool _is_stopping = false;
    std::atomic<bool> _must_stop = false; // all shards look at it
    uint64_t _passes_total = 0;
    uint64_t _bytes_total = 0;
    seastar::metrics::metric_groups _metrics;
    seastar::timer<> _timer;
    seastar::semaphore _turn{1};
    seastar::gate _work;
};

} // namespace compaction
