// The newest row of each of many partitions. Where one place alone has the newest time of a partition, that row is shown as it is
// there: from the partition directory of a segment, without a search and without its block. What lies otherwise is left to a
// scan.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "tables/core/key_range.hh"
#include "tables/core/resolve.hh"
#include "tables/read_view.hh"
#include "tables/scan.hh"

namespace tables {

struct newest_request {
    base::table_id table;
    std::vector<key_range> ranges; // in order, each within one partition
};

// What was not shown, and how much was.
struct newest_visit_end {
    std::vector<key_range> left; // within the ranges, in their order
    uint64_t rows_examined = 0;
    base::sequence newest_seen;
};

class newest_scan {
public:
    // Borrows all. A range whose newest row the visitor does not take is left, but for that row.
    newest_scan(const read_view&, const newest_request&, row_visitor&);

    seastar::future<base::expected<newest_visit_end>> run();

private:
    // A segment, and where in its directory the last partition was.
    struct directory {
        segment_ptr from;
        std::optional<size_t> page_number;
        page_ptr page; // null: none, or it cannot be read
        size_t index = 0;
    };
    // The newest row of a partition, if it is known who has it.
    struct candidate {
        std::optional<base::tick> newest;
        memtable::cursor* rows = nullptr;  // of a memtable
        const directory* stored = nullptr; // in a segment, at its index
        bool is_sure = true;               // nobody else has rows of that time or of no time
        directory* hungry = nullptr;       // nothing is known before this one has its page
    };
    enum class place : uint8_t { here, nowhere, hungry, unknown };

    // Goes to the partition.
    static place settle(directory&, std::string_view partition_key);
    static seastar::future<> feed(directory&, std::string_view partition_key);
    candidate find(std::string_view partition_key);
    static void offer(candidate&, std::optional<base::tick> newest, memtable::cursor*, const directory*);
    // Of the candidate; none when it is not sure. Lives until the next call.
    std::span<const row_version> versions_of(const candidate&, const key_range&, std::string_view& row_key);
    void show(const key_range&, const candidate&);

    const read_view& _view;
    const newest_request& _request;
    row_visitor& _visitor;
    std::vector<memtable::partition_cursor> _partitions; // of the memtables
    std::vector<memtable::cursor> _rows;                 // likewise
    std::vector<directory> _directories;
    std::optional<row_version> _stored; // from a directory
    row_resolver _resolver;
    newest_visit_end _end;
};

} // namespace tables
