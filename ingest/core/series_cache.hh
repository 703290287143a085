// Series of tag sets that came before, by the bytes they came in: lines of one series repeat, and a look here costs a fraction of
// sorting and escaping. One for each connection or for all of a protocol's on a shard; not for different protocols, since the
// same bytes mean other tags there.
#pragma once

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

    // The series of tags that came before, by their bytes as they were sent; or null. Good until the next call of series_of().
    series_key* find(std::string_view raw) {
        auto& e = entry_for(raw);
        return e.raw == raw && !raw.empty() ? &e.key : nullptr;
    }
    // The series of the point, or series_too_long. Good until the next call.
    std::expected<series_key*, line_fault> series_of(const point_view&);

private:
    struct entry {
        std::string raw;     // never longer than entry_bytes_max; empty: nothing is here
        std::string written; // the series where that is not `raw` itself
        series_key key;
    };

    entry& entry_for(std::string_view raw) const { return _entries[base::stable_hash(raw) & _mask]; }
    static line_fault fill(entry&, const point_view&);

    size_t _mask;
    std::unique_ptr<entry[]> _entries; // at the hash of `raw`; the last one there wins
    entry _uncached;
};

} // namespace ingest
