#include "query/core/key_box.hh"

#include <cassert>

#include "query/core/text_order.hh"

namespace query {

bool box_algebra::is_tighter(const bound& a, const bound& b, int direction) const {
    if (a.is == bound::kind::none || b.is == bound::kind::none) {
        return a.is != bound::kind::none;
    }
    const int order = compare_text(text(a), text(b)) * direction;
    return order > 0 || (order == 0 && a.is == bound::kind::exclusive);
}

interval box_algebra::intersection(const interval& a, const interval& b) const {
    return {is_tighter_low(a.low, b.low) ? a.low : b.low, is_tighter_high(a.high, b.high) ? a.high : b.high};
}

interval box_algebra::hull(const interval& a, const interval& b) const {
    return {is_tighter_low(a.low, b.low) ? b.low : a.low, is_tighter_high(a.high, b.high) ? b.high : a.high};
}

bool box_algebra::is_empty(const interval& i) const {
    if (i.low.is == bound::kind::none || i.high.is == bound::kind::none) {
        return false;
    }
    const int order = compare_text(text(i.low), text(i.high));
    return order > 0 || (order == 0 && (i.low.is == bound::kind::exclusive || i.high.is == bound::kind::exclusive));
}

bool box_algebra::is_point(const interval& i) const {
    return i.low.is == bound::kind::inclusive && i.high.is == bound::kind::inclusive && text(i.low) == text(i.high);
}

box box_algebra::intersection(const box& a, const box& b) const {
    return {intersection(a.partition, b.partition), intersection(a.row, b.row)};
}

box box_algebra::hull(std::span<const box> boxes) const {
    assert(!boxes.empty());
    box all = boxes.front();
    for (const auto& b : boxes.subspan(1)) {
        all = {hull(all.partition, b.partition), hull(all.row, b.row)};
    }
    return all;
}

key_range box_algebra::range_in_partition(std::string_view key, const interval& rows) const {
    const auto& [low, high] = rows;
    key_range range{key_cut::before_partition(key), key_cut::after_partition(key)};
    if (low.is != bound::kind::none) {
        range.from = low.is == bound::kind::inclusive ? key_cut::before_row(key, text(low)) : key_cut::after_row(key, text(low));
    }
    if (high.is != bound::kind::none) {
        range.to = high.is == bound::kind::inclusive ? key_cut::after_row(key, text(high)) : key_cut::before_row(key, text(high));
    }
    return range;
}

key_range box_algebra::range_of(const box& b) const {
    const auto& [low, high] = b.partition;
    if (is_point(b.partition)) {
        return range_in_partition(text(low), b.row);
    }
    key_range range;
    if (low.is != bound::kind::none) {
        range.from =
            low.is == bound::kind::inclusive ? key_cut::before_partition(text(low)) : key_cut::after_partition(text(low));
    }
    if (high.is != bound::kind::none) {
        range.to =
            high.is == bound::kind::inclusive ? key_cut::after_partition(text(high)) : key_cut::before_partition(text(high));
    }
    return range;
}

// What `key op text` leaves of the key; everything for `ne`.
interval interval_of(comparison op, uint16_t node) {
    const bound in{bound::kind::inclusive, node};
    const bound out{bound::kind::exclusive, node};
    switch (op) {
    case comparison::eq: return {in, in};
    case comparison::lt: return {{}, out};
    case comparison::le: return {{}, in};
    case comparison::gt: return {out, {}};
    case comparison::ge: return {in, {}};
    case comparison::ne: break;
    }
    return {};
}

} // namespace query
