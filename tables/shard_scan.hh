// The part of a scan that runs on one shard, and the reading of a page over all of them.
#pragma once

#include <memory>
#include <optional>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "tables/core/projection.hh"
#include "tables/core/resolve.hh"
#include "tables/engine.hh"
#include "tables/merge_cursor.hh"
#include "tables/scan.hh"
#include "tables/table.hh"

namespace tables {

// What a shard found at a time.
struct scan_chunk {
    std::string batch; // rows with their own timestamps
    size_t rows_count = 0;
    std::optional<entity_key> resume; // the next position to look at; nothing: this shard has no more
    uint64_t rows_examined = 0;
    uint64_t blocks_read = 0;
    damage_list damage;
};

// Lives on its shard for the length of one page and holds the table, so that a drop in the meantime takes nothing from under it.
class shard_scan {
public:
    // On the shard it is for. table_not_found, shutting_down.
    static base::expected<std::unique_ptr<shard_scan>> open(engine&, const scan_request&);
    ~shard_scan();

    // At most `rows_max` more rows; fewer at the end, at the deadline, or when they are large. One call at a time.
    seastar::future<base::expected<scan_chunk>> next(size_t rows_max);
    // The same for a visitor, who is asked instead of the predicate. What it has been shown is durable when this resolves, and
    // not to be told before.
    seastar::future<base::expected<visit_end>> visit(row_visitor&, size_t rows_max);

private:
    struct collecting;

    shard_scan(engine&, seastar::gate::holder, table_ptr, const scan_request&, read_view);

    // Puts the cursor on the next row that is in a range; false when there is none.
    seastar::future<base::expected<bool>> settle_in_range();
    bool is_in_range() const;
    void go_on();
    // Shows rows to the visitor until it has taken `rows_max` of them, is_full() says so, or time is up.
    template <class Visitor, class Full>
    seastar::future<base::expected<visit_end>> walk(Visitor&, size_t rows_max, Full is_full);

    engine& _engine;
    seastar::gate::holder _hold; // the engine waits for us
    table_ptr _table;
    std::vector<key_range> _ranges;
    size_t _range = 0; // the one under way
    const size_t _rows_per_range_max;
    size_t _rows_of_range = 0;
    std::unique_ptr<row_predicate> _predicate; // nothing: every row
    std::optional<projection> _projection;
    std::chrono::steady_clock::time_point _deadline;
    read_view _view;
    std::optional<block_skipper> _skipper;
    merge_cursor _cursor;
    row_resolver _resolver;
    base::sequence _newest_seen;
    bool _is_placed = false;                        // the cursor stands in range _range
    std::string _partition_key_text, _row_key_text; // scratch
};

seastar::future<base::expected<scan_page>> read_page(seastar::sharded<engine>&, scan_request, unsigned shards_count);

} // namespace tables
