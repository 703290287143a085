// A segment that was opened: its footer, and what to read for a question. It reads nothing itself; the caller brings the bytes of
// the extents it names. Everything that comes from the file is checked here before it is used.
//
//   auto trailer = segment_trailer::parse(the last trailer_bytes of the file, file size);
//   auto segment = segment_view::open(*trailer, the bytes of trailer->footer);
//   if (auto i = segment->locate(pk, rk)) { auto block = segment->open_block(*i, the bytes of segment->block(*i).extent); ... }
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.hh"
#include "tables/core/key_range.hh"
#include "tables/core/segment/block_view.hh"
#include "tables/core/segment/key_filter.hh"
#include "tables/core/segment/partition_page.hh"
#include "tables/core/segment/segment_footer.hh"

namespace tables {

// [begin, end) of the blocks, or of the pages, of a segment.
struct index_range {
    size_t begin = 0;
    size_t end = 0;

    size_t size() const { return end - begin; }
    bool operator==(const index_range&) const = default;
};

class segment_view {
public:
    // Keeps nothing of the bytes. corrupt.
    static base::expected<segment_view> open(const segment_trailer&, std::string_view footer_bytes);

    const segment_facts& facts() const { return _footer.facts; }
    const segment_schema& schema() const { return _footer.schema; }

    size_t blocks_count() const { return _footer.blocks.size(); }
    block_info block(size_t i) const { return _footer.blocks[i]; }
    // Of one column in one block; nothing when no row there has it. What may be concluded from it: column_range.hh.
    std::optional<value_range> range(size_t block, column_id id) const { return _footer.blocks.range(block, id); }
    // The blocks that may have rows of this range.
    index_range locate(const key_range&) const;
    // The one block that may have this row.
    std::optional<size_t> locate(std::string_view partition_key, std::string_view row_key) const;
    // False is sure: no time key of the block is within [oldest, newest], and it has no text keys.
    bool may_have_times(size_t block, base::tick oldest, base::tick newest) const;
    // Borrows the bytes, and this view while it is used.
    base::expected<block_view> open_block(size_t i, std::string_view bytes) const;

    // What is asked before a block is read for one key.
    file_extent filter_extent(size_t block) const;
    // Filters are small and lie side by side; those of the blocks [begin, end), the given one among them, are read at a time.
    struct filter_group {
        size_t begin = 0;
        size_t end = 0;
        file_extent extent;
    };
    filter_group filters_around(size_t block) const;
    base::expected<key_filter> open_filter(size_t block, std::string_view bytes) const;

    size_t pages_count() const { return _footer.pages.size(); }
    page_info page(size_t i) const { return _footer.pages[i]; }
    // The one page that may have this partition.
    std::optional<size_t> locate_page(std::string_view partition_key) const;
    base::expected<partition_page> open_page(size_t i, std::string_view bytes, codec::zstd_decompressor&) const;

private:
    // The bytes without their checksum, when that is right.
    base::expected<std::string_view> unseal(std::string_view bytes, file_extent, std::string_view what) const;

    uint64_t _seed = 0;
    segment_footer _footer;
    std::vector<uint64_t> _filter_offsets;
};

} // namespace tables
