// Where the blocks of a segment are and what they can have: one entry for each, in key order.
//
//   index     = blocks count varint, *chunk: offsets, sizes, rows counts, text keys counts, newest ticks, oldest ticks, filter
//               sizes, first partition keys, first row keys, last partition keys, last row keys
//   ranges    = for each column of the schema: its ranges in the blocks (column_range.hh)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/coding.hh"
#include "base/ticks.hh"
#include "tables/core/codec/texts.hh"
#include "tables/core/segment/column_range.hh"
#include "tables/core/segment/segment_layout.hh"
#include "tables/core/segment/segment_schema.hh"

namespace tables {

struct block_info {
    file_extent extent; // with the checksum
    uint64_t rows_count = 0;
    uint64_t text_keys_count = 0;
    std::optional<base::tick> newest; // of the time keys
    std::optional<base::tick> oldest;
    uint64_t filter_size = 0; // with the checksum
    std::string_view first_partition_key;
    std::string_view first_row_key;
    std::string_view last_partition_key;
    std::string_view last_row_key;
};

class block_index {
public:
    size_t size() const { return _sizes.size(); }
    // Borrows its keys from the index.
    block_info operator[](size_t i) const;
    // Of it alone, for a search.
    using key_view = std::pair<std::string_view, std::string_view>;
    key_view first_key(size_t i) const { return {_first_partition_keys[i], _first_row_keys[i]}; }
    key_view last_key(size_t i) const { return {_last_partition_keys[i], _last_row_keys[i]}; }
    // No room for another block: its columns have bounds.
    bool is_full() const;
    // Needs: in key order, at ascending offsets, !is_full().
    void add(const block_info&);

    // Of the block added last.
    void add_range(column_id, value_type, const value_range&);
    // Nothing when no row of the block has the column.
    std::optional<value_range> range(size_t block, column_id) const;

    void encode(codec::zstd_compressor&, std::string& out) const;
    // The reader has failed when the bytes are not an index of blocks below `end`.
    static block_index take(base::byte_reader&, const segment_schema&, uint64_t end, codec::zstd_decompressor&);

private:
    bool is_in_order(uint64_t end) const;

    std::vector<int64_t> _offsets;
    std::vector<int64_t> _sizes;
    std::vector<int64_t> _rows_counts;
    std::vector<int64_t> _text_keys_counts;
    std::vector<int64_t> _newest; // -1: no time keys
    std::vector<int64_t> _oldest;
    std::vector<int64_t> _filter_sizes;
    codec::texts _first_partition_keys;
    codec::texts _first_row_keys;
    codec::texts _last_partition_keys;
    codec::texts _last_row_keys;
    std::vector<column_ranges> _ranges; // by column id
};

} // namespace tables
