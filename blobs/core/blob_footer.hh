// The footer: what the blob is, its time index, and where blocks and filters are. And the trailer that leads to it.
//
//   footer    = source bytes, period start varint (ticks), counter varint, blocks count varint, *block, slices bits u8,
//               *slice size varint
//   block     = size varint, records count varint, raw bytes varint, zigzag(first time - last time of the block before) varint,
//               last time - first time varint, levels varint, marks count varint, rice bits u8, kept parts varint
//
// Blocks lie behind each other from the beginning of the file, slices behind them. Sizes count the checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "base/ticks.hh"
#include "blobs/core/blob_layout.hh"
#include "blobs/core/block_builder.hh"
#include "blobs/core/mark_filter.hh"

namespace blobs {

// Whose records these are; the name of a blob is made from it (blob_name.hh).
struct blob_identity {
    std::string source;
    base::tick period_start;
    uint64_t counter = 0; // unique in a source and period

    auto operator<=>(const blob_identity&) const = default;
};

struct block_entry {
    blob_extent extent; // with the checksum
    block_facts facts;
    filter_shape filter;
    uint64_t raw_offset = 0; // of its texts among those of the blob

    bool operator==(const block_entry&) const = default;
};

struct blob_footer {
    blob_identity identity;
    std::vector<block_entry> blocks;
    unsigned slices_bits = 0;
    std::vector<blob_extent> slices; // with the checksums

    uint64_t records_count() const;
    uint64_t raw_bytes() const { return blocks.empty() ? 0 : blocks.back().raw_offset + blocks.back().facts.raw_bytes; }
    int64_t first_ns() const { return blocks.empty() ? 0 : blocks.front().facts.first_ns; }
    int64_t last_ns() const { return blocks.empty() ? 0 : blocks.back().facts.last_ns; }
    level_set levels() const;

    void encode(std::string& out) const;
    // `end` is where the footer begins. corrupt.
    static base::expected<blob_footer> parse(std::string_view, uint64_t end);
};

struct blob_trailer {
    blob_extent footer; // the first of the two
    uint64_t footer_checksum = 0;
    uint64_t seed = 0;
    filter_scope filters = filter_scope::messages;

    // Both footers.
    blob_extent footers() const { return {footer.offset, 2 * footer.size}; }

    // One of the two.
    void encode(std::string& out) const;
    // From the last trailers_bytes bytes of a file of this size; one good copy is enough. corrupt, or newer_format.
    static base::expected<blob_trailer> parse(std::string_view, uint64_t file_size);
};

} // namespace blobs
