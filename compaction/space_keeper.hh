// Keeps a disk from filling where that was allowed: over the high-water mark the oldest tables that a policy is about go, until
// there is room again. Lives on shard 0.
#pragma once

#include <chrono>
#include <cstdint>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/timer.hh>

#include "compaction/retention.hh"
#include "shard/disk.hh"

namespace compaction {

struct space_config {
    uint64_t high_water_bytes = 0; // used space
    // Often: between two looks writers must not come from the mark to the reserve.
    std::chrono::milliseconds every = std::chrono::milliseconds(100);
};

class space_keeper {
public:
    // The disk and the retention must outlive it.
    space_keeper(shard::disk&, retention&, space_config);

    void start();
    seastar::future<> stop();
    // Drops what has to go now.
    seastar::future<> look();

private:
    shard::disk& _disk;
    retention& _retention;
    const space_config _config;
    bool _is_looking = false;
    bool _is_helpless = false; // over the mark with nothing to drop; said once
    seastar::timer<> _timer;
    seastar::gate _work;
};

} // namespace compaction
