// What one write did to one row, and a version of a row as cursors hand it to the merge of memtables and segments.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hh"
#include "base/ticks.hh"
#include "tables/core/row.hh"

namespace tables {

// On disk: do not renumber.
enum class row_kind : uint8_t {
    put = 1,    // the whole entity; what was there before is gone
    merge = 2,  // these properties replace or join those that are there; makes the entity when there is none
    remove = 3, // a tombstone; no properties
};

struct row_version {
    base::sequence sequence;
    row_kind kind;
    base::tick timestamp;
    row_view row; // of a remove: none
};

// Newest first: whether what is older cannot matter any more.
inline bool is_decided(std::span<const row_version> versions) {
    return !versions.empty() && versions.back().kind != row_kind::merge;
}

} // namespace tables
