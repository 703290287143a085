// What one write did to one row, and a version of a row as cursors hand it to the merge of memtables and segments.
#pragma once

#include <cstdint>

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

} // namespace tables
