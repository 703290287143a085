// Merging neighbouring segments of one table into one: what newer versions hide is gone afterwards, and so are tombstones when
// nothing older is left. Reads go on meanwhile, on the old ones; one manifest edit exchanges them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "tables/segment_store.hh"
#include "tables/table.hh"

namespace tables {

struct merge_outcome {
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    uint64_t fields_dropped = 0;            // that merge records would have taken over the limits of an entity
    std::vector<released_segment> released; // as of segment_store::exchange()
};

struct merge_limits {
    size_t block_rows_max = 16'384;
    size_t block_raw_bytes_max = 256 << 10;
};

// Asked now and then on the way; an error ends the merge with it.
using merge_permission = std::function<base::expected<void>()>;

// Merges segments [first, first + count) of the table, newest first, as they are when it is called; the newest of them where all
// are too many for one edit. Not under way twice for one table. Errors of `may_go_on`, shutting_down when the table was dropped,
// corrupt, io_error, out_of_space: nothing changed then.
seastar::future<base::expected<merge_outcome>> merge_segments(segment_store&, table_ptr, size_t first, size_t count, merge_limits,
                                                              merge_permission may_go_on);

} // namespace tables
