#include "blobs/core/buffer_search.hh"

#include <algorithm>

namespace blobs {

buffer_search::buffer_search(record_buffer& buffer, const compiled_predicate& predicate, scan_order order)
    : _buffer(buffer), _predicate(predicate), _order(order) {}

bool buffer_search::visit(size_t i, const record_visitor& visit) {
    _last = _buffer.order(i);
    if (!_predicate.matches_order(*_last)) {
        return true;
    }
    const auto r = _buffer.read(i, _fields);
    return !_predicate.matches(r) || visit(r);
}

bool buffer_search::scan(const record_visitor& visitor) {
    _buffer.sort();
    const auto& wanted = _predicate.source();
    // [begin, end) is what is left: within the times asked for, and beyond the last record looked at.
    size_t begin = _buffer.lower_bound({.time_ns = wanted.first_ns});
    size_t end = wanted.last_ns == INT64_MAX ? _buffer.size() : _buffer.lower_bound({.time_ns = wanted.last_ns + 1});
    if (_last && _order == scan_order::newest_first) {
        end = std::min(end, _buffer.lower_bound(*_last));
    } else if (_last) {
        begin = std::max(begin, _buffer.lower_bound(*_last) + 1);
    }
    for (size_t seen = 0; seen < blob_search::scan_records_max; ++seen) {
        if (begin >= end || !visit(_order == scan_order::newest_first ? --end : begin++, visitor)) {
            return false;
        }
    }
    return begin < end;
}

} // namespace blobs
