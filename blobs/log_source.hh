// What one shard has of one source: the records it received, in buffers by period and in blobs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <seastar/core/shared_ptr.hh>

#include "base/ticks.hh"
#include "blobs/blob_file.hh"
#include "blobs/core/record_buffer.hh"

namespace blobs {

// Blobs are of one hour each, whatever the time of arrival.
constexpr int64_t period_ns = 3'600'000'000'000;
using period_number = int64_t; // hours since 1970

constexpr period_number period_of(int64_t time_ns) {
    return time_ns / period_ns - (time_ns % period_ns < 0 ? 1 : 0);
}
constexpr base::tick period_start(period_number p) {
    return {base::unix_epoch.value + p * (3'600 * base::ticks_per_second)};
}

// Shared with those who search in it; whoever holds one while it is open may see more records in it later.
using buffer_ptr = seastar::lw_shared_ptr<record_buffer>;

struct log_source {
    std::string name;
    uint64_t next_sequence = 0;
    bool is_named = false; // among the names that all shards are told
    std::map<period_number, buffer_ptr> open;
    std::map<period_number, buffer_ptr> frozen; // being sealed
    std::vector<blob_ptr> blobs;
};
using source_ptr = seastar::lw_shared_ptr<log_source>;

} // namespace blobs
