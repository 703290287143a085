// Where a partition lives: PartitionKey -> slot -> shard. The slot is for ever, the shard follows from the core count.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/checksum.hh"

namespace base {

constexpr unsigned slots_count = 256;

// `collated` is the key in its stored form (tables/core/key.hh).
inline uint8_t slot_of(std::string_view collated) {
    return static_cast<uint8_t>(stable_hash(collated) >> 56);
}

// Slots are dealt out in runs, so that a core count that divides another moves as few slots as can be.
constexpr unsigned shard_of_slot(uint8_t slot, unsigned shards_count) {
    return static_cast<unsigned>(slot) * shards_count / slots_count;
}

inline unsigned shard_of(std::string_view collated, unsigned shards_count) {
    return shard_of_slot(slot_of(collated), shards_count);
}

} // namespace base
