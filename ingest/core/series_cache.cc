#include "ingest/core/series_cache.hh"

#include <bit>
#include <cassert>

#include "base/checksum.hh"
#include "ingest/core/series.hh"

namespace ingest {

series_cache::series_cache(size_t entries_count) : _mask(entries_count - 1), _entries(std::make_unique<entry[]>(entries_count)) {
    assert(std::has_single_bit(entries_count));
}

std::expected<std::string_view, line_fault> series_cache::series_of(const point_view& point) {
    const auto raw = point.raw_tags;
    if (raw.empty() || raw.size() > entry_bytes_max) {
        _uncached.clear();
        const auto fault = append_series(point.tags, _uncached);
        return fault == line_fault::none ? std::expected<std::string_view, line_fault>(_uncached) : std::unexpected(fault);
    }
    auto& e = _entries[base::stable_hash(raw) & _mask];
    if (e.raw == raw) {
        return e.series;
    }
    // Nothing may be found here under the old bytes while the series is being made.
    e.raw.clear();
    e.series.clear();
    if (is_series(raw, point.tags)) {
        e.series = raw;
    } else if (const auto fault = append_series(point.tags, e.series); fault != line_fault::none) {
        return std::unexpected(fault);
    }
    e.raw = raw;
    return e.series;
}

} // namespace ingest
