// The end of a segment file, which holds the segments of one table or of many small ones: which tables, and where each is. A
// manifest says the same; with this a file speaks for itself when a manifest cannot.
//
//   file      = *segment, directory, tail
//   directory = count varint, *(table varint, offset varint, size varint)
//   tail      = directory size u64, version u32, 0 u32, magic u64, checksum u64 of directory and tail before it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.hh"
#include "base/error.hh"
#include "base/ids.hh"
#include "tables/core/segment/segment_layout.hh"

namespace tables {

struct stored_segment {
    base::table_id table;
    file_extent extent;

    bool operator==(const stored_segment&) const = default;
};

class segment_directory {
public:
    static constexpr size_t tail_bytes = 32;
    // Of a file; more tables than this go into the next.
    static constexpr size_t segments_max = 4'096;
    static constexpr size_t bytes_max = tail_bytes + 30 * segments_max;

    std::vector<stored_segment> segments;

    // Only the list, as it is also noted in a manifest.
    void encode_list(std::string& out) const;
    static base::expected<segment_directory> parse_list(std::string_view);

    // What ends the file.
    void encode(std::string& out) const;
    // From the last bytes of the file: all of it or at least bytes_max. corrupt, newer_format.
    static base::expected<segment_directory> parse(std::string_view file_end, uint64_t file_size);
};

} // namespace tables
