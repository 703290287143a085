// A block decoded once for many readers: rows in key order, packed. What the block cache holds.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hh"
#include "tables/core/segment/block_rows.hh"
#include "tables/core/segment/segment_view.hh"

namespace tables {

class decoded_block {
public:
    // `bytes` as of segment_view::open_block(); nothing of them is kept.
    static base::expected<std::unique_ptr<decoded_block>> decode(const segment_view&, size_t block, std::string_view bytes,
                                                                 codec::zstd_decompressor&);

    size_t size() const { return _rows.size(); }
    segment_row operator[](size_t i) const { return _rows[i]; }
    std::string_view partition_key(size_t i) const { return _rows.partition_key(i); }
    // The first row behind those of the same partition.
    size_t partition_end(size_t i) const { return _rows.partition_end(i); }
    // The first row whose key is not less; size() when there is none.
    size_t lower_bound(std::string_view partition_key, std::string_view row_key) const {
        return _rows.lower_bound(partition_key, row_key);
    }

    size_t bytes() const { return sizeof *this + _rows.heap_bytes(); }

private:
    explicit decoded_block(block_rows rows) : _rows(std::move(rows)) {}

    block_rows _rows;
};

} // namespace tables
