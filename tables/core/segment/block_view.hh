// A block that was read: columns are decoded when asked for, a range of rows at a time, into buffers as Arrow has them: values
// with a place for every row, and a validity bitmap, lowest bit first, 1 where there is a value. Borrows the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "tables/core/row_version.hh"
#include "tables/core/segment/key_columns.hh"
#include "tables/core/segment/segment_schema.hh"

namespace tables {

struct row_range {
    size_t begin = 0;
    size_t end = 0;

    size_t size() const { return end - begin; }
};

class block_view {
public:
    // `bytes` is the block without its checksum. Corrupt when it is not a block, or has columns the schema does not have.
    static base::expected<block_view> parse(std::string_view bytes, const segment_schema&);

    size_t rows_count() const { return _rows_count; }
    const key_columns& keys() const { return _keys; }

    struct column_chunk {
        column_id id = 0;
        value_type type{};
        std::string_view presence;
        std::string_view values;
    };
    // By ascending id.
    std::span<const column_chunk> columns() const { return _columns; }
    // Of the chunks that every block has, in their order: runs, flags, times, suffixes, texts, timestamps, kinds.
    std::span<const uint64_t> common_sizes() const { return _common_sizes; }
    const column_chunk* find(column_id) const;

    // The first row whose key is not less than this one; rows_count() when there is none.
    base::expected<size_t> lower_bound(std::string_view partition_key, std::string_view row_key, codec::zstd_decompressor&) const;
    // The row with this key.
    base::expected<std::optional<size_t>> find(std::string_view partition_key, std::string_view row_key,
                                               codec::zstd_decompressor&) const;

    base::expected<void> decode_timestamps(size_t begin, std::span<int64_t> out) const;
    base::expected<void> decode_kinds(size_t begin, std::span<row_kind> out) const;

    // Each decodes rows [range) of one column; `validity` has bitmap::bytes_for(range.size()) bytes. The number of nulls comes
    // back; their places have 0, or an empty text, or sixteen 0 for a guid. Needs: the fitting type, a range within the rows.
    base::expected<size_t> decode_ints(const column_chunk&, row_range, std::span<int64_t> out, std::span<uint8_t> validity) const;
    base::expected<size_t> decode_reals(const column_chunk&, row_range, std::span<double> out, std::span<uint8_t> validity) const;
    // Booleans as bits.
    base::expected<size_t> decode_booleans(const column_chunk&, row_range, std::span<uint8_t> out,
                                           std::span<uint8_t> validity) const;
    // Strings, binaries, guids; appends.
    base::expected<size_t> decode_texts(const column_chunk&, row_range, codec::zstd_decompressor&, codec::texts& out,
                                        std::span<uint8_t> validity) const;

private:
    // The sizes of the columns' chunks, which come behind all heads.
    struct column_sizes {
        uint64_t presence;
        uint64_t values;
    };
    std::vector<column_sizes> take_columns(base::byte_reader&, size_t count, const segment_schema&);

    // Where a key is, or would be.
    struct place {
        size_t row = 0;
        size_t partition_end = 0; // 0: the partition is not there
    };
    base::expected<place> search(std::string_view partition_key, std::string_view row_key, codec::zstd_decompressor&) const;

    size_t _rows_count = 0;
    std::array<uint64_t, key_chunks_count + 2> _common_sizes{};
    key_columns _keys;
    codec::int_column _timestamps;
    codec::int_column _kinds;
    std::vector<column_chunk> _columns;
};

// Reads with one type that decode_ints has.
constexpr bool is_int(value_type type) {
    return type == value_type::int32 || type == value_type::int64 || type == value_type::datetime;
}

} // namespace tables
