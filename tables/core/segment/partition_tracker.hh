// Follows the rows of a segment from partition to partition and fills the pages of its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/placement.hh"
#include "tables/core/segment/partition_page.hh"
#include "tables/core/segment/segment_facts.hh"

namespace tables {

class partition_tracker {
public:
    partition_tracker(segment_schema& schema, base::placement placement) : _placement(placement), _page(schema) {}

    // Needs: rows in key order; the page is not full.
    void add(const segment_row&, std::optional<base::tick> row_time);
    // No more rows come: the last partition goes into the page.
    void finish() { end_partition(); }

    // What the partitions that have ended have filled: take it when it is full, and at the end when it is not empty.
    partition_page_builder& page() { return _page; }
    const partition_page_builder& page() const { return _page; }
    // About the partitions that have begun.
    const slot_set& slots() const { return _slots; }
    uint64_t partitions_count() const { return _partitions_count; }
    std::string_view current_key() const { return _key; }

private:
    void end_partition();
    void keep_newest(const segment_row&);

    const base::placement _placement;
    partition_page_builder _page;
    slot_set _slots;
    uint64_t _partitions_count = 0;
    uint64_t _rows_count = 0; // of all partitions

    // The partition that rows come for.
    std::string _key;
    partition_info _info;
    // Its first row with a time key, which is its newest: a copy, since it is wanted only when many more follow.
    std::optional<segment_row> _newest; // borrows from these three
    std::string _newest_key;
    std::string _newest_packed;
    shape _newest_shape;
};

} // namespace tables
