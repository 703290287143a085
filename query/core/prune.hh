// Whether a block of rows can hold a match, told from the least and the greatest value of its columns. Never wrong about a
// match: it says no only where every row would fail.
#pragma once

#include <optional>
#include <span>

#include "query/core/filter_ast.hh"
#include "tables/core/value.hh"

namespace query {

// The values of one property that have one type. The bounds need not be values that occur: a text may be cut short to
// make a lower bound, say.
struct column_stats {
    tables::value min; // of that type, in the order of value_order.hh; a Double's bounds leave NaN out
    tables::value max;
    bool may_hold_nan = true; // counts for Double only
    bool is_open = false;     // any value of the type of `min`
};

// One property in all rows of the block, a column for each type that occurs.
struct property_stats {
    std::span<const column_stats> columns;
    bool may_be_missing = true; // in some row
};

class stats_source {
public:
    virtual ~stats_source() = default;

    // Nothing: nothing is known, and the property may have any value. A property that no row has is one without columns.
    virtual std::optional<property_stats> find(const subject&) const = 0;
};

bool can_match(const filter&, const stats_source&);

} // namespace query
