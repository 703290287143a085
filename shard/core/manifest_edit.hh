// One change of a shard's manifest, as a value and as bytes (FORMAT.md, "Manifest").
//
//   marks = 1, epoch u64, sequence u64, timestamp ticks u64
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/ids.hh"
#include "base/ticks.hh"

namespace shard {

// What a store has given out so far. Later starts go on above, whatever became of the logs.
struct high_water_marks {
    uint64_t epoch = 0;
    base::sequence sequence;
    base::tick timestamp;

    bool operator==(const high_water_marks&) const = default;

    // The higher of each.
    void raise_to(const high_water_marks&);
};

std::string encode(const high_water_marks&);
// corrupt; newer_format for a kind of edit that this version does not know.
base::expected<high_water_marks> decode_manifest_edit(std::string_view);

} // namespace shard
