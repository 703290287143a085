// Series of tag sets that came before, by the bytes they came in: lines of one series repeat, and a look here costs a fraction of
// sorting and escaping. One for each connection or for all of a protocol's on a shard; not for different protocols, since the
// same bytes mean other tags there.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/core/line_fault.hh"
#include "ingest/core/point.hh"

namespace ingest {

class series_cache {
public:
    // How many series it remembers, a power of two; each takes about its text twice and a hundred bytes.
    explicit series_cache(size_t entries_count);

    // The series of the point, or series_too_long. Good until the next call.
    std::expected<std::string_view, line_fault> series_of(const point_view&);

private:
    struct entry {
        std::string raw; // never longer than entry_bytes_max
        std::string series;
    };
    // Longer tag sets (they can only be escapes) are not remembered.
    static constexpr size_t entry_bytes_max = 2048;

    size_t _mask;
    std::unique_ptr<entry[]> _entries; // at the hash of `raw`; the last one there wins
    std::string _uncached;
};

} // namespace ingest
