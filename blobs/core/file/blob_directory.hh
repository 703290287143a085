// The end of a blob file, which holds one blob or those of many small sources: whose they are, where each is, and what a listing
// says of it. A manifest says the same where that is short enough; with this a file speaks for itself when a manifest does not.
//
//   file      = *blob, directory, tail
//   directory = count varint, *entry
//   entry     = source bytes, period start varint (ticks), counter varint, offset varint, size varint, records varint,
//               raw bytes varint, first time zigzag varint, last time - first time varint, levels varint
//   tail      = directory size u64, version u32, 0 u32, magic u64, checksum u64 of directory and tail before it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "blobs/core/blob_footer.hh"
#include "blobs/core/limits.hh"

namespace blobs {

// A blob and what is known of it without opening it.
struct stored_blob {
    blob_identity identity;
    blob_extent extent; // in its file
    uint64_t records_count = 0;
    uint64_t raw_bytes = 0;
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    level_set levels = 0;

    bool operator==(const stored_blob&) const = default;
};

class blob_directory {
public:
    static constexpr size_t tail_bytes = 32;
    // Of a file.
    static constexpr size_t blobs_max = 4'096;
    static constexpr size_t list_bytes_max = blobs_max * (source_bytes_max + 96);
    // From either of these on a writer begins another file: a change of several of them has to fit an edit of a manifest.
    static constexpr size_t blobs_target = 1'024;
    static constexpr size_t list_bytes_target = 64 << 10;

    std::vector<stored_blob> blobs;

    // What one takes in a list.
    static size_t entry_bytes(const stored_blob&);
    // Only the list, as it is also noted in a manifest.
    void encode_list(std::string& out) const;
    static base::expected<blob_directory> parse_list(std::string_view);

    // What ends the file.
    void encode(std::string& out) const;
    // How many bytes of the end of the file parse() needs, from its last tail_bytes. corrupt, newer_format.
    static base::expected<size_t> end_bytes(std::string_view tail);
    // From that many last bytes. corrupt.
    static base::expected<blob_directory> parse(std::string_view file_end, uint64_t file_size);
};

} // namespace blobs
