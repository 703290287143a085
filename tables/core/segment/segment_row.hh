// One row on its way into a segment or out of it. Borrows everything.
#pragma once

#include <string_view>

#include "base/ticks.hh"
#include "tables/core/row_version.hh"

namespace tables {

struct segment_row {
    std::string_view partition_key; // collated, like all keys inside
    std::string_view row_key;
    row_kind kind = row_kind::put;
    base::tick timestamp;
    row_view row; // of a remove: none
};

} // namespace tables
