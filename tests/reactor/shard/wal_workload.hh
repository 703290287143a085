// Writers on a log over a simulated disk, who remember when they appended and when they were told that it is durable, counted in
// operations of the disk. From that follows what a power cut at any operation must leave.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "shard/wal.hh"
#include "shard/wal_replay.hh"
#include "tests/sim/sim_disk.hh"

namespace testing_lib {

constexpr uint64_t wal_store = 0x0123456789abcdef;

// Small files and a small buffer, so that a few records rotate and wait.
inline shard::wal_config small_wal(uint64_t epoch = 1, uint64_t next = 1) {
    return {.store = wal_store, .epoch = epoch, .shard = 0, .next = {next}, .file_bytes = 64 << 10, .buffer_bytes = 32 << 10};
}

struct found_log {
    struct record {
        uint64_t first = 0;
        uint32_t sequences_count = 0;
        std::string payload;
        bool operator==(const record&) const = default;
    };
    std::vector<record> records; // of all logs, in the order of their epochs and shards
    std::vector<shard::log_damage> damages;
    std::vector<shard::read_report> reports;
};

// Everything that is in the log folder. In a Seastar thread.
found_log read_all_logs(shard::disk&);

// Appends one record, in two pieces: the last sequence it took. Does not suspend.
base::sequence append_now(shard::wal&, shard::wal::reservation, std::string_view payload, uint32_t sequences_count = 1,
                          shard::durability = shard::durability::urgent);
// Waits for room first, but not for the flush.
seastar::future<base::expected<base::sequence>> append_to(shard::wal&, std::string payload, uint32_t sequences_count = 1,
                                                          shard::durability = shard::durability::urgent);

class wal_workload {
public:
    wal_workload(sim::sim_disk& disk, shard::wal& wal, uint64_t seed) : _disk(disk), _wal(wal), _random(seed) {}

    // Each of `fibers` appends `records` records, one after the other, each when the one before is durable. Ends early when it
    // is refused.
    seastar::future<> run(size_t fibers, size_t records);
    // Tells the log now and then that it may forget all but the newest records.
    bool does_release = true;

    // What must be found when the power went after `operations` of the disk, and what may be.
    void check(sim::sim_disk& image, uint64_t operations) const;

    size_t acknowledged_count() const;
    const std::vector<base::error>& refusals() const { return _refusals; }

private:
    struct written {
        found_log::record record;
        uint64_t appended_at = 0;
        std::optional<uint64_t> acknowledged_at;
    };
    struct released {
        uint64_t at = 0;
        uint64_t upto = 0;
    };

    seastar::future<> write_records(size_t count);
    seastar::future<bool> write_one();
    void release_some();

    sim::sim_disk& _disk;
    shard::wal& _wal;
    std::mt19937_64 _random;
    std::vector<written> _written; // by sequence
    std::vector<released> _released;
    std::vector<base::error> _refusals;
};

} // namespace testing_lib
