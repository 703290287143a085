// What the server does to its data by itself: it merges segments, drops what is over its time or over the high-water mark, and
// verifies what is stored. Lives on shard 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "blobs/log_store.hh"
#include "compaction/retention.hh"
#include "compaction/runner.hh"
#include "compaction/scrubber.hh"
#include "compaction/space_keeper.hh"
#include "shard/disk.hh"
#include "tables/engine.hh"

namespace server {

struct upkeep_config {
    std::string account;           // whose policies
    uint64_t high_water_bytes = 0; // of the disk, used; 0: nothing is dropped for want of room
    unsigned scrub_days = 0;       // everything is verified so often; 0: only when asked
    seastar::scheduling_group group;
};

class upkeep {
public:
    // The stores and the disk, which is that of the data directory, must outlive it.
    upkeep(seastar::sharded<tables::engine>&, seastar::sharded<blobs::log_store>&, shard::disk&, upkeep_config);

    // Needs: the stores are open.
    seastar::future<> start();
    seastar::future<> stop();

    // What the server writes about itself goes after a week, unless somebody has said otherwise.
    seastar::future<base::expected<void>> keep_own_for_a_while();

    compaction::retention& keeper() { return _keeper; }
    compaction::scrubber& verifier() { return _verifier; }

private:
    seastar::sharded<tables::engine>& _engines;
    const upkeep_config _config;
    seastar::sharded<compaction::runner> _mergers;
    compaction::retention _keeper;
    std::optional<compaction::space_keeper> _space; // nothing when there is no mark
    compaction::scrubber _verifier;
};

} // namespace server
