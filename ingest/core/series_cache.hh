// Series of tag sets that came before, by the bytes they came in: lines of one series repeat, and a look here costs a fraction of
// sorting and escaping. One for each connection or for all of a protocol's on a shard; not for different protocols, since the
// same bytes mean other tags there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "base/checksum.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/point.hh"

namespace ingest {

// A series as the key of a partition, and what is worth remembering about it.
struct series_key {
    std::string_view text; // collated (tables/core/key.hh)
    uint64_t hash = 0;     // base::stable_hash of the text: it tells the slot, too
    uint64_t admitted = 0; // for whoever counts series: the serial of the last table that has it
};

class series_cache {
public:
    // Longer tag sets (they can only be escapes) are not remembered.
    static constexpr size_t entry_bytes_max = 2048;

    // How many series it remembers, a power of two; each takes about its text twice and a hundred bytes.
    explicit series_cache(size_t entries_count);
    series_cache(const series_cache&) = delete;
    series_cache& operator=(const series_cache&) = delete;

    // Tags that came before, at the front of `bytes` and with a space behind them: their bytes, and their series or null. Good
    // until the next call of series_of().
    struct found {
        std::string_view raw;
        series_key* series = nullptr;
    };
    found find_before_space(std::string_view bytes) {
        entry* const guess = _last->followed_by;
        if (guess != nullptr && guess->is_before_space(bytes)) [[likely]] {
            return enter({bytes.substr(0, guess->raw.size()), &guess->key}, *guess);
        }
        return search_before_space(bytes);
    }
    // The series of the point, or series_too_long. Good until the next call.
    std::expected<series_key*, line_fault> series_of(const point_view&);

private:
    static constexpr size_t cache_line_bytes = 64;
    static constexpr size_t prefetched_bytes_max = 4 * cache_line_bytes;

    struct entry {
        std::string raw;     // never longer than entry_bytes_max; empty: nothing is here
        std::string written; // the series where that is not `raw` itself
        series_key key;
        entry* followed_by =
            nullptr; // the one that was found after this one, the last time: series keep coming in the same order

        bool is_before_space(std::string_view bytes) const {
            return raw.size() < bytes.size() && bytes[raw.size()] == ' ' && bytes.starts_with(raw) && !raw.empty();
        }
    };

    // The guesses are followed two steps ahead, so that what they are compared with is at hand by then.
    found enter(found f, entry& e) {
        _last = &e;
        if (const entry* const next = e.followed_by) {
            prefetch({next->raw.data(), std::min(next->raw.size(), prefetched_bytes_max)});
            prefetch({reinterpret_cast<const char*>(next->followed_by), sizeof(entry)});
        }
        return f;
    }
    static void prefetch(std::string_view bytes) {
        for (size_t at = 0; at < bytes.size(); at += cache_line_bytes) {
            __builtin_prefetch(bytes.data() + at);
        }
    }
    found search_before_space(std::string_view bytes);

    entry& entry_for(std::string_view raw) const { return _entries[base::stable_hash(raw) & _mask]; }
    static line_fault fill(entry&, const point_view&);

    size_t _mask;
    std::unique_ptr<entry[]> _entries; // at the hash of `raw`; the last one there wins
    entry _uncached;
    entry* _last = &_uncached; // that was found
};

} // namespace ingest
