// What the index of a segment knows of the properties in one block, in the terms of prune.hh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/core/prune.hh"
#include "tables/core/segment/segment_view.hh"

namespace query {

class block_stats {
public:
    // Borrows the segment.
    block_stats(const tables::segment_view& segment, size_t block) : _segment(segment), _block(block) {}

    // Borrowed until the next call.
    property_stats property(std::string_view name);
    // The same where a row may have a tag of that name, which goes before the property.
    property_stats property_or_tag(std::string_view name);

private:
    column_stats stats_of(tables::value_type, const tables::value_range&);

    const tables::segment_view& _segment;
    size_t _block;
    std::vector<column_stats> _columns;
    std::string _low, _high; // of the one column of texts
};

} // namespace query
