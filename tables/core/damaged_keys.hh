// A stretch of keys that cannot be read, where a read was asked to go on without it.
#pragma once

#include <optional>
#include <vector>

#include "base/error.hh"
#include "base/ticks.hh"
#include "tables/core/key_range.hh"

namespace tables {

struct damaged_keys {
    base::error why; // names the file and the bytes
    key_range keys;  // all that lay there has a key of these
    // Of its time keys, both included; nothing when that is not known.
    std::optional<base::tick> newest;
    std::optional<base::tick> oldest;
};
using damage_list = std::vector<damaged_keys>;

// Bytes that cannot be had or are not what was written. All else that goes wrong is no damage.
inline bool is_damage(const base::error& e) {
    return e.code == base::errc::corrupt || e.code == base::errc::io_error;
}

} // namespace tables
