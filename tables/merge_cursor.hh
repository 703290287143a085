// The rows of a table on one shard in key order, of all memtables and segments of a view. Of each key it shows the versions that
// matter, newest first; row_resolver makes the row of them. Reads and merges of segments both go through here, so they cannot
// disagree.
//
//   cursor.seek(range);
//   while (true) {
//       if (cursor.is_hungry()) { co_await cursor.feed(); ... }
//       if (cursor.is_end()) break;
//       use cursor.partition_key(), row_key(), versions();
//       cursor.next();
//   }
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "tables/core/memtable.hh"
#include "tables/core/row_version.hh"
#include "tables/read_view.hh"
#include "tables/segment_cursor.hh"

namespace tables {

class merge_cursor {
public:
    // Borrows both. With a skipper, rows that its predicate does not match may stay away.
    explicit merge_cursor(const read_view&, const block_skipper* = nullptr);

    // To the first key of the range. Rows behind the range may be shown: the caller knows where to stop.
    void seek(const key_range&, seek_for = seek_for::all_rows);
    void next();

    bool is_hungry() const { return _is_hungry; }
    seastar::future<base::expected<void>> feed();

    // Of these, needs: not hungry. The keys live as long as the view or until the next step, the versions until the next step.
    bool is_end() const { return _versions.empty(); }
    std::string_view partition_key() const { return _partition_key; }
    std::string_view row_key() const { return _row_key; }
    // A put, a remove, or merges and then what they were merged into; if the last one is a merge, there is nothing older. The
    // sequence of a version from a segment is 0: it is durable.
    std::span<const row_version> versions() const { return _versions; }

    // From now on feed() passes over blocks that are damaged.
    void pass_damage();
    // False: some of the versions may have been in a block that was passed over, so nobody knows what the row is.
    bool is_sure() const { return _is_sure; }
    // What was passed over; empties it.
    damage_list take_damage();

    // Of segments, so far.
    uint64_t blocks_read() const;

private:
    void settle();
    void collect();

    std::vector<memtable::cursor> _memtables; // newest first
    std::vector<segment_cursor> _segments;    // newest first
    std::vector<segment_cursor*> _moving;     // scratch
    bool _is_hungry = false;
    std::string_view _partition_key;
    std::string_view _row_key;
    std::vector<row_version> _versions;
    bool _is_sure = true;
};

} // namespace tables
