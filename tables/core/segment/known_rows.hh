// Rows of one partition, all with time keys, of which something is known without reading them: from the directory of partitions
// how many there are, from the index of blocks also what their values lie between.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ticks.hh"
#include "tables/core/segment/column_range.hh"

namespace tables {

// Borrows everything.
struct known_rows {
    std::string_view partition_key;
    uint64_t rows_count = 0;
    base::tick newest;
    base::tick oldest;
    // Of each column asked for: a range for each type it occurs in. Nothing: not known.
    std::optional<std::span<const std::vector<typed_range>>> columns;
};

} // namespace tables
