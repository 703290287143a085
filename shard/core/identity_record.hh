// The bytes of the identity file (FORMAT.md): which store a data directory holds and which version of the formats it is in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/ticks.hh"

namespace shard {

// Of everything below a data directory together. A newer one is refused; an older one must be readable for ever.
constexpr uint32_t store_format_version = 1;

struct identity {
    uint32_t version = store_format_version;
    uint64_t store = 0; // random; ties log files to their store
    base::tick created;

    bool operator==(const identity&) const = default;
};

std::string encode(const identity&);
// corrupt; newer_format when it passes and its version is not ours to read.
base::expected<identity> decode_identity(std::string_view);

} // namespace shard
