// Some columns of a block as Arrow arrays, decoded once for many readers. What the block cache holds for who wants columns.
//
// The arrays own their buffers, which are the allocator's of whoever decodes: on a shard, that shard's own memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <arrow/array.h>

#include "base/error.hh"
#include "tables/core/segment/segment_view.hh"

namespace tables {

// A column of a block. Int64 array (also of Int32 and DateTime), Double, Boolean or Binary, as long as the block.
struct typed_array {
    value_type type{};
    const arrow::Array* values = nullptr;

    bool has(size_t row) const { return values->IsValid(static_cast<int64_t>(row)); }
    // Borrows from the array. Needs: has(row).
    value at(size_t row) const;
};

class block_columns {
public:
    // `bytes` as of segment_view::open_block(); nothing of them is kept. Columns that no row of the block has stay away.
    static base::expected<std::unique_ptr<block_columns>> decode(const segment_view&, size_t block, std::string_view bytes,
                                                                 std::span<const column_id> wanted, codec::zstd_decompressor&);

    size_t rows_count() const { return _ticks.size(); }
    const partition_runs& partitions() const { return _partitions; }
    // The time of each row's key, newest first within a partition; no_tick where it has none.
    std::span<const int64_t> ticks() const { return _ticks; }
    // What follows the time in the key.
    std::string_view suffix(size_t row) const { return _suffixes[_suffixes.size() == 1 ? 0 : row]; }
    // True when all suffixes are that of row 0.
    bool has_one_suffix() const { return _suffixes.size() == 1; }
    // Every row is a row of its own: no removed ones.
    bool has_removes() const { return _has_removes; }

    // Whether it was asked for, at decode().
    bool knows(column_id id) const { return _columns.contains(id); }
    // Null when no row has a value.
    const arrow::Array* find(column_id) const;
    std::vector<column_id> column_ids() const;

    size_t bytes() const;

private:
    base::expected<void> decode_keys(const block_view&, codec::zstd_decompressor&);

    partition_runs _partitions;
    std::vector<int64_t> _ticks;
    codec::texts _suffixes; // one for each row, or one for all
    bool _has_removes = false;
    std::map<column_id, std::shared_ptr<arrow::Array>> _columns;
};

} // namespace tables
