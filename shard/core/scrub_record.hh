// What the last pass over everything stored found, as it is kept over restarts.
//
//   record    = "scrub\0\0\1", begun and ended u64 (ticks), files, bytes, damaged ranges (varint each), *sentence, checksum u64
//   of all sentence  = length varint, text
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "base/ticks.hh"

namespace shard {

// Above it sentences are left away; their count stays.
constexpr size_t scrub_record_bytes_max = 256 << 10;

struct scrub_record {
    base::tick begun; // all that was stored then has been verified
    base::tick ended;
    uint64_t files_count = 0;
    uint64_t bytes = 0;
    uint64_t damaged_count = 0;
    std::vector<std::string> damage; // a sentence each

    bool operator==(const scrub_record&) const = default;
};

// At most scrub_record_bytes_max.
std::string encode(const scrub_record&);
// corrupt.
base::expected<scrub_record> decode_scrub_record(std::string_view);

} // namespace shard
