#include "ingest/core/series_cache.hh"

#include <bit>
#include <cassert>

#include "tables/core/family/series.hh"
#include "tables/core/key.hh"

namespace ingest {

series_cache::series_cache(size_t entries_count) : _mask(entries_count - 1), _entries(std::make_unique<entry[]>(entries_count)) {
    assert(std::has_single_bit(entries_count));
}

series_cache::found series_cache::search_before_space(std::string_view bytes) {
    // No further than what is remembered: behind the tags there may be a megabyte without a space.
    const size_t size = bytes.substr(0, entry_bytes_max + 1).find(' ');
    if (size == bytes.npos || size == 0) {
        return {};
    }
    const auto raw = bytes.substr(0, size);
    auto& e = entry_for(raw);
    if (e.raw != raw) {
        return {};
    }
    _last->followed_by = &e;
    return enter({raw, &e.key}, e);
}

std::expected<series_key*, line_fault> series_cache::series_of(const point_view& point) {
    const auto raw = point.raw_tags;
    const bool is_kept = !raw.empty() && raw.size() <= entry_bytes_max;
    auto& e = is_kept ? entry_for(raw) : _uncached;
    if (is_kept && e.raw == raw) [[likely]] {
        return &e.key;
    }
    // Nothing may be found here under the old bytes while the series is being made.
    e.raw.clear();
    if (const auto fault = fill(e, point); fault != line_fault::none) {
        e.raw.clear();
        return std::unexpected(fault);
    }
    if (is_kept) {
        e.raw = raw;
        e.key.text = e.written.empty() ? std::string_view(e.raw) : e.written;
    }
    return &e.key;
}

line_fault series_cache::fill(entry& e, const point_view& point) {
    e.written.clear();
    if (tables::is_series(point.raw_tags, point.tags)) {
        e.key.text = point.raw_tags; // ASCII, which is collated as it is
    } else {
        if (!tables::append_series(point.tags, e.written)) {
            return line_fault::series_too_long;
        }
        e.written = tables::collate(e.written);
        e.key.text = e.written;
    }
    e.key.hash = base::stable_hash(e.key.text);
    e.key.admitted = 0;
    return line_fault::none;
}

} // namespace ingest
