#include "tables/core/segment/block_index.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/segment/column_chunks.hh"
#include "tables/core/segment/optional_tick.hh"

namespace tables {

block_info block_index::operator[](size_t i) const {
    return {.extent = {static_cast<uint64_t>(_offsets[i]), static_cast<uint64_t>(_sizes[i])},
            .rows_count = static_cast<uint64_t>(_rows_counts[i]),
            .text_keys_count = static_cast<uint64_t>(_text_keys_counts[i]),
            .newest = as_tick(_newest[i]),
            .oldest = as_tick(_oldest[i]),
            .filter_size = static_cast<uint64_t>(_filter_sizes[i]),
            .first_partition_key = _first_partition_keys[i],
            .first_row_key = _first_row_keys[i],
            .last_partition_key = _last_partition_keys[i],
            .last_row_key = _last_row_keys[i]};
}

bool block_index::is_full() const {
    size_t key_bytes = 0;
    for (const auto* keys : {&_first_partition_keys, &_first_row_keys, &_last_partition_keys, &_last_row_keys}) {
        key_bytes = std::max(key_bytes, keys->bytes.size());
    }
    return size() == segment_layout::segment_blocks_max || key_bytes + key_bytes_max > codec::column_text_bytes_max;
}

void block_index::add(const block_info& block) {
    assert(!is_full());
    _offsets.push_back(static_cast<int64_t>(block.extent.offset));
    _sizes.push_back(static_cast<int64_t>(block.extent.size));
    _rows_counts.push_back(static_cast<int64_t>(block.rows_count));
    _text_keys_counts.push_back(static_cast<int64_t>(block.text_keys_count));
    _newest.push_back(as_int(block.newest));
    _oldest.push_back(as_int(block.oldest));
    _filter_sizes.push_back(static_cast<int64_t>(block.filter_size));
    _first_partition_keys.push_back(block.first_partition_key);
    _first_row_keys.push_back(block.first_row_key);
    _last_partition_keys.push_back(block.last_partition_key);
    _last_row_keys.push_back(block.last_row_key);
}

void block_index::add_range(column_id id, value_type type, const value_range& range) {
    assert(id <= _ranges.size() && "columns get their ids in the order in which blocks have them");
    if (id == _ranges.size()) {
        _ranges.emplace_back(type);
    }
    _ranges[id].add(size() - 1, range);
}

std::optional<value_range> block_index::range(size_t block, column_id id) const {
    return _ranges[id].find(block);
}

void block_index::encode(codec::zstd_compressor& zstd, std::string& out) const {
    base::put_varint(out, size());
    for (const auto* numbers : {&_offsets, &_sizes, &_rows_counts, &_text_keys_counts, &_newest, &_oldest, &_filter_sizes}) {
        put_chunk(*numbers, out);
    }
    for (const auto* keys : {&_first_partition_keys, &_first_row_keys, &_last_partition_keys, &_last_row_keys}) {
        put_sorted_chunk(*keys, zstd, out);
    }
    for (const auto& ranges : _ranges) {
        ranges.encode(size(), zstd, out);
    }
}

block_index block_index::take(base::byte_reader& in, const segment_schema& schema, uint64_t end, codec::zstd_decompressor& zstd) {
    block_index index;
    const uint64_t count = in.varint();
    for (auto* numbers : {&index._offsets, &index._sizes, &index._rows_counts, &index._text_keys_counts, &index._newest,
                          &index._oldest, &index._filter_sizes}) {
        take_chunk(in, count, *numbers);
    }
    for (auto* keys :
         {&index._first_partition_keys, &index._first_row_keys, &index._last_partition_keys, &index._last_row_keys}) {
        take_sorted_chunk(in, count, zstd, *keys);
    }
    for (column_id id = 0; id < schema.size() && in.ok(); ++id) {
        index._ranges.push_back(column_ranges::take(in, schema[id].type, count, zstd));
    }
    if (!in.ok() || !index.is_in_order(end)) {
        in.set_failed();
        return {};
    }
    return index;
}

bool block_index::is_in_order(uint64_t end) const {
    uint64_t before = 0;
    for (size_t i = 0; i < size(); ++i) {
        const auto offset = static_cast<uint64_t>(_offsets[i]);
        const auto block_size = static_cast<uint64_t>(_sizes[i]);
        if (offset < before || offset > end || block_size > std::min<uint64_t>(end - offset, segment_layout::block_bytes_max) ||
            block_size <= segment_layout::checksum_bytes || _rows_counts[i] < 1 || _filter_sizes[i] < 0) {
            return false;
        }
        before = offset + block_size;
    }
    return true;
}

} // namespace tables
