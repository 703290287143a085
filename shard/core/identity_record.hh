// The bytes of the identity file (FORMAT.md): which store a data directory holds and which version of the formats it is in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/placement.hh"
#include "base/ticks.hh"

namespace shard {

// Of everything below a data directory together. A newer one is refused; an older one must be readable for ever.
// A store keeps the version that it was made with.
//   1   keys fall into slots by the hash of the whole key
//   2   parts of a spread series lie apart (base/placement.hh)
constexpr uint32_t store_format_version = 2;

struct identity {
    uint32_t version = store_format_version;
    uint64_t store = 0; // random; ties log files to their store
    base::tick created;

    bool operator==(const identity&) const = default;
};

constexpr base::placement placement_of(const identity& i) {
    using rule = base::placement::rule;
    return base::placement(i.version == 1 ? rule::by_key : rule::spread_apart);
}

std::string encode(const identity&);
// corrupt; newer_format when it passes and its version is not ours to read.
base::expected<identity> decode_identity(std::string_view);

} // namespace shard
