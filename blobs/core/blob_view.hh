// A blob that was opened: its footer, and what to read for a question. It reads nothing itself; the caller brings the bytes of
// the extents it names. Everything that comes from the file is checked here before it is used.
//
//   auto trailer = blob_trailer::parse(the last trailers_bytes of the file, file size);
//   auto blob = blob_view::open(*trailer, the bytes of trailer->footers());
//   auto done = blob->open_block(i, the bytes of blob->blocks()[i].extent, reader);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "blobs/core/blob_footer.hh"
#include "blobs/core/block_reader.hh"

namespace blobs {

class blob_view {
public:
    // Keeps nothing of the bytes; one good copy of the footer is enough. corrupt.
    static base::expected<blob_view> open(const blob_trailer&, std::string_view footers_bytes);

    const blob_footer& footer() const { return _footer; }
    const blob_identity& identity() const { return _footer.identity; }
    std::span<const block_entry> blocks() const { return _footer.blocks; }
    filter_scope filters() const { return _filters; }

    // Checks the bytes and opens them. The reader borrows them. corrupt.
    base::expected<void> open_block(size_t i, std::string_view bytes, block_reader&,
                                    block_content = block_content::records) const;

    // Where the filters of all blocks for one mark are.
    blob_extent slice_extent(mark m) const { return _footer.slices[slice_of(m, _footer.slices_bits)]; }
    // Clears what is sure not to have the mark. `bytes` are those of slice_extent; corrupt leaves all as they were.
    base::expected<void> filter_blocks(mark m, std::string_view bytes, std::vector<bool>& candidates) const;

    // Whether the bytes of one slice are what was written. corrupt.
    base::expected<void> check_slice(size_t i, std::string_view bytes) const;

    // The block that has this byte of the raw text; nothing behind its end.
    std::optional<size_t> block_at(uint64_t raw_offset) const;

private:
    // The bytes without their checksum, when that is right.
    base::expected<std::string_view> unseal(std::string_view bytes, blob_extent, std::string_view what) const;

    uint64_t _seed = 0;
    filter_scope _filters = filter_scope::messages;
    blob_footer _footer;
};

} // namespace blobs
