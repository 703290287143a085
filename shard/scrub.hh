// One shard's part of a pass that reads everything and verifies every checksum: how fast it may go, when it must end, and what it
// found. What is damaged is an error for its own range already when somebody reads it; here it is only told.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"

namespace shard {

// Sentences of damage that are kept; the rest is counted.
constexpr size_t scrub_damage_listed_max = 1'000;

struct scrub_summary {
    uint64_t files_count = 0; // segments, blobs and histories
    uint64_t bytes = 0;
    uint64_t damaged_count = 0;
    std::vector<std::string> damage; // a sentence each: the file, the range, what is wrong

    void add(const scrub_summary&);
};

class scrub {
public:
    // A rate of 0: as fast as it goes. `must_stop` is the same for all shards and outlives this.
    scrub(uint64_t bytes_per_second, const std::atomic<bool>& must_stop)
        : _bytes_per_second(bytes_per_second), _must_stop(must_stop) {}

    // Before reading so many bytes: waits for its turn. False: the pass is given up.
    seastar::future<bool> admit(uint64_t bytes);
    bool is_given_up() const { return _must_stop; }
    // Of something that was admitted.
    void found(std::string damage);
    void end_file() { ++_summary.files_count; }

    const scrub_summary& summary() const { return _summary; }

private:
    using clock = std::chrono::steady_clock;

    const uint64_t _bytes_per_second;
    const std::atomic<bool>& _must_stop;
    const clock::time_point _begin = clock::now();
    scrub_summary _summary;
};

} // namespace shard
