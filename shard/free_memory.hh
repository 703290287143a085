// Memory that nobody has accounted for: connections, decoding, sealing, merging all take some beside the named budgets. When a
// shard runs short of it, what would take more is told to come back later, before it has changed anything: running out in the
// middle of a write that is already in the log could not be undone.
#pragma once

#include <algorithm>
#include <cstddef>

#include <seastar/core/memory.hh>

namespace shard {

constexpr size_t free_memory_share = 16; // of a shard's memory, to be kept free
constexpr size_t free_memory_min = 6u << 20;

// True when taking `bytes` would leave less than that. Rows and records take up to about twice their bytes in memory.
inline bool is_memory_short(size_t bytes = 0) {
    const auto now = seastar::memory::stats();
    return now.free_memory() < std::max(now.total_memory() / free_memory_share, free_memory_min) + 2 * bytes;
}

} // namespace shard
