// Scans by column: for who adds up a few columns of many rows. Where the rows of a partition lie in one segment alone, with no
// newer or older version of any of them elsewhere, no row has to be made: their columns are shown as the block has them. What
// lies otherwise is left to a scan by row.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "tables/core/key_range.hh"
#include "tables/core/segment/block_columns.hh"
#include "tables/core/segment/known_rows.hh"
#include "tables/read_view.hh"

namespace tables {

// Rows [begin, end) of a block, all of one partition, newest first, all with time keys. Borrows everything.
struct column_slice {
    std::string_view partition_key;
    const block_columns& block;
    size_t begin = 0;
    size_t end = 0;
    // Of each column asked for: an array for each type it occurs in; a row has a value in one of them at most.
    std::span<const std::vector<typed_array>> columns;
};

class column_visitor {
public:
    virtual ~column_visitor() = default;
    // Whether take() can be of any use.
    virtual bool takes_known_rows() const { return false; }
    // True: that was enough, the rows need not be shown.
    virtual bool take(const known_rows&) { return false; }
    // False: it cannot use columns of these types; the rows are left.
    virtual bool visit(const column_slice&) = 0;
    // Asked before each block. False: what is not shown yet is of no use any more.
    virtual bool wants_more() const { return true; }
};

struct column_request {
    base::table_id table;
    std::vector<key_range> ranges; // each within one partition; row keys are 19 digits, or none: whole ticks
    std::vector<std::string> columns;
    bool passes_damage = false; // as in a scan_request
};

// What was not shown, and how much was.
struct column_visit_end {
    std::vector<key_range> left; // within the ranges, in their order
    uint64_t rows_examined = 0;
    uint64_t blocks_read = 0;
    damage_list damage; // what was left out
};

class column_scan {
public:
    // Borrows all.
    column_scan(const read_view& view, const column_request& request, column_visitor& visitor)
        : _view(view), _request(request), _visitor(visitor) {}

    seastar::future<base::expected<column_visit_end>> run();

private:
    // Who has rows of a partition, and from when to when.
    struct source {
        base::tick newest;
        base::tick oldest;
        segment* from; // null: a memtable
        uint64_t rows_count;
    };

    seastar::future<base::expected<void>> visit_partition(const key_range&);
    // False when some of them have no times to tell them apart by.
    seastar::future<base::expected<bool>> find_sources(std::string_view partition_key);
    // Without reading them; true when that was enough.
    bool take_partition(const source&, const key_range&);
    bool take_block(const segment&, size_t block, const key_range&);
    seastar::future<base::expected<void>> visit_segment(segment&, key_range);
    bool show(const block_columns&, const key_range&);
    void enter(const segment&);

    const read_view& _view;
    const column_request& _request;
    column_visitor& _visitor;
    column_visit_end _end;
    std::vector<source> _sources; // of the partition under way

    // Of the segment that was entered last: most partitions lie in the same one as that before.
    struct typed_id {
        value_type type;
        column_id id;
    };
    const segment* _entered = nullptr;
    std::vector<column_id> _ids;                  // all that are asked for
    std::vector<std::vector<typed_id>> _columns;  // the same by column
    std::vector<std::vector<typed_array>> _shown; // of the block under way, by column
    // The one that was looked at last: the next partition most often lies in it, too.
    struct held_block {
        const segment* from = nullptr;
        size_t number = 0;
        columns_ptr columns;
    };
    held_block _block;
};

} // namespace tables
