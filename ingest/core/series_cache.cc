#include "ingest/core/series_cache.hh"

#include <bit>
#include <cassert>

#include "base/checksum.hh"
#include "ingest/core/series.hh"
#include "tables/core/key.hh"

namespace ingest {

series_cache::series_cache(size_t entries_count) : _mask(entries_count - 1), _entries(std::make_unique<entry[]>(entries_count)) {
    assert(std::has_single_bit(entries_count));
}

std::expected<series_key*, line_fault> series_cache::series_of(const point_view& point) {
    const auto raw = point.raw_tags;
    if (raw.empty() || raw.size() > entry_bytes_max) {
        const auto fault = fill(_uncached, point);
        return fault == line_fault::none ? std::expected<series_key*, line_fault>(&_uncached) : std::unexpected(fault);
    }
    auto& e = _entries[base::stable_hash(raw) & _mask];
    if (e.raw == raw) [[likely]] {
        return &e.key;
    }
    // Nothing may be found here under the old bytes while the series is being made.
    e.raw.clear();
    if (const auto fault = fill(e.key, point); fault != line_fault::none) {
        return std::unexpected(fault);
    }
    e.raw = raw;
    return &e.key;
}

line_fault series_cache::fill(series_key& key, const point_view& point) {
    key.text.clear();
    if (is_series(point.raw_tags, point.tags)) {
        key.text = point.raw_tags; // ASCII, which is collated as it is
    } else if (const auto fault = append_series(point.tags, key.text); fault != line_fault::none) {
        return fault;
    } else {
        key.text = tables::collate(key.text);
    }
    key.hash = base::stable_hash(key.text);
    key.admitted = 0;
    return line_fault::none;
}

} // namespace ingest
