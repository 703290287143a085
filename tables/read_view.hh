// What a reader of one table on one shard looks at: the rows in memory and the segments there were at one moment. It holds them,
// so flushes, merges and drops take nothing from under it.
#pragma once

#include <vector>

#include <seastar/core/shared_ptr.hh>

#include "base/ids.hh"
#include "tables/core/memtable.hh"
#include "tables/segment.hh"

namespace tables {

using memtable_ptr = seastar::lw_shared_ptr<memtable>;

struct read_view {
    std::vector<memtable_ptr> memtables; // newest first
    std::vector<segment_ptr> segments;   // newest first; all older than any memtable
    base::sequence snapshot;             // nothing newer is seen
};

} // namespace tables
