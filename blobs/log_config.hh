// The bounds of the log path on one shard.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <seastar/core/scheduling.hh>

namespace blobs {

struct log_config {
    // What is not in blobs yet, in memory, frozen or not; over it senders are told to come back later.
    uint64_t memory_bytes_max = 256u << 20;
    // A round of sealing begins when this much is in memory that is not frozen, when the log has grown by this much, whoever
    // wrote it, or at this age.
    uint64_t seal_bytes = 64u << 20;
    uint64_t log_bytes = 256u << 20;
    std::chrono::seconds seal_age = std::chrono::minutes(5);
    // From here on (raw bytes) a source does not share its file.
    uint64_t own_file_bytes = 256u << 10;
    // Sources that have a lane here. Each costs some hundred bytes, and a few KiB while it has an open buffer.
    size_t sources_max = 20'000;
    // Blobs of one source and hour are merged once the hour is over for so long, or when there are so many of them.
    std::chrono::seconds merge_after = std::chrono::minutes(10);
    size_t merge_count = 8;
    std::chrono::milliseconds merge_every = std::chrono::minutes(1);
    std::function<int64_t()> now_ns; // since 1970
    seastar::scheduling_group group; // of sealing, for which writers may wait
    seastar::scheduling_group merge_group;
};

// Blobs whose files are open and whose footers are in memory.
constexpr size_t open_blobs_max = 256;
// Searches that decode blocks at a time on a shard, each in some MiB of its own.
constexpr size_t readers_max = 3;

} // namespace blobs
