// The footer: facts, schema, block index, where the partition pages and the filters are. And the trailer that leads to it.
//
//   footer    = facts (segment_facts.hh), schema (segment_schema.hh), block index and ranges (block_index.hh), page index,
//               filters offset varint
//   pages     = count varint, *chunk: offsets, sizes, partitions counts, sorted first partition keys
//
// Filters lie behind each other from the filters offset on, in the order of the blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "tables/core/segment/block_index.hh"
#include "tables/core/segment/segment_facts.hh"
#include "tables/core/segment/segment_schema.hh"

namespace tables {

struct page_info {
    file_extent extent; // with the checksum
    uint64_t partitions_count = 0;
    std::string_view first_partition_key;
};

class page_index {
public:
    size_t size() const { return _sizes.size(); }
    page_info operator[](size_t i) const;
    void add(const page_info&);

    void encode(codec::zstd_compressor&, std::string& out) const;
    static page_index take(base::byte_reader&, uint64_t end, codec::zstd_decompressor&);

private:
    std::vector<int64_t> _offsets;
    std::vector<int64_t> _sizes;
    std::vector<int64_t> _partitions_counts;
    codec::texts _first_keys;
};

struct segment_footer {
    segment_facts facts;
    segment_schema schema;
    block_index blocks;
    page_index pages;
    uint64_t filters_offset = 0;

    void encode(codec::zstd_compressor&, std::string& out) const;
    // `end` is where the footer begins: all it speaks of is before that. Corrupt when it is not a footer.
    static base::expected<segment_footer> parse(std::string_view, uint64_t end, codec::zstd_decompressor&);
};

struct segment_trailer {
    file_extent footer;
    uint64_t footer_checksum = 0;
    uint64_t seed = 0;

    void encode(std::string& out) const;
    // From the last trailer_bytes bytes of a file of this size. corrupt, or newer_format.
    static base::expected<segment_trailer> parse(std::string_view, uint64_t file_size);
};

} // namespace tables
