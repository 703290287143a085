// What conditions on PartitionKey and RowKey leave possible: boxes, an interval of each key. Part of key_range.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "query/core/filter_ast.hh"
#include "query/core/key_cut.hh"

namespace query {

// One end of an interval of text: the literal of a node, or none. By number, since a filter may have thousands of them.
struct bound {
    enum class kind : uint8_t { none, inclusive, exclusive };
    kind is = kind::none;
    uint16_t node = 0;
};

struct interval {
    bound low;
    bound high;

    bool is_everything() const { return low.is == bound::kind::none && high.is == bound::kind::none; }
};

// What a conjunction of conditions on keys leaves. A list of boxes is what any filter leaves.
struct box {
    interval partition;
    interval row;

    bool is_everything() const { return partition.is_everything() && row.is_everything(); }
};

// The order of bounds, and with it intersections and hulls, over the literals of one filter.
class box_algebra {
public:
    // The filter must outlive it.
    explicit box_algebra(const filter& f) : _filter(f) {}

    bool is_empty(const box& b) const { return is_empty(b.partition) || is_empty(b.row); }
    box intersection(const box& a, const box& b) const;
    // The least box around all of these, of which there must be one.
    box hull(std::span<const box>) const;
    // The row interval counts only in a box of one partition; elsewhere its rows do not lie together.
    key_range range_of(const box&) const;

private:
    std::string_view text(const bound& b) const { return _filter.literal_of(_filter.postfix()[b.node]).value().as_string(); }
    // Whether a leaves less than b does, as a lower and as an upper end.
    bool is_tighter_low(const bound& a, const bound& b) const { return is_tighter(a, b, 1); }
    bool is_tighter_high(const bound& a, const bound& b) const { return is_tighter(a, b, -1); }
    bool is_tighter(const bound& a, const bound& b, int direction) const;
    bool is_empty(const interval&) const;
    bool is_point(const interval&) const;
    interval intersection(const interval& a, const interval& b) const;
    interval hull(const interval& a, const interval& b) const;
    key_range range_in_partition(std::string_view partition_key, const interval& rows) const;

    const filter& _filter;
};

// What `key op literal` leaves of the key, the literal being that of this node; everything for `ne`.
interval interval_of(comparison op, uint16_t node);

} // namespace query
