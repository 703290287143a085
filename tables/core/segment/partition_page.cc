#include "tables/core/segment/partition_page.hh"

#include <cassert>

#include "tables/core/limits.hh"
#include "tables/core/segment/column_chunks.hh"
#include "tables/core/segment/optional_tick.hh"
#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

std::unexpected<base::error> bad_page(const char* what) {
    return base::fail(base::errc::corrupt, std::string("a partition page does not decode: ") + what);
}

} // namespace

void partition_page_builder::add(const partition_info& info, const segment_row* newest_row) {
    if (empty()) {
        _first_row = info.first_row;
    }
    _keys.push_back(info.partition_key);
    _rows_counts.push_back(static_cast<int64_t>(info.rows_count));
    _newest.push_back(as_int(info.newest));
    _oldest.push_back(as_int(info.oldest));
    _with_newest_row.push_back(newest_row != nullptr);
    if (newest_row != nullptr) {
        assert(newest_row->partition_key == info.partition_key);
        _newest_rows.add(*newest_row);
    }
}

bool partition_page_builder::is_full() const {
    return partitions_count() >= segment_layout::page_partitions_max ||
           _newest_rows.raw_bytes() >= segment_layout::page_raw_bytes_target ||
           _newest_rows.columns_count() + properties_max > segment_layout::block_columns_max;
}

std::string partition_page_builder::take(codec::zstd_compressor& zstd) {
    assert(!empty());
    std::string out;
    base::put_varint(out, partitions_count());
    base::put_varint(out, _first_row);
    put_sorted_chunk(_keys, zstd, out);
    put_chunk(_rows_counts, out);
    put_chunk(_newest, out);
    put_chunk(_oldest, out);
    put_chunk(_with_newest_row, out);
    if (!_newest_rows.empty()) {
        while (_newest_rows.encode_step(zstd)) {
        }
        out += _newest_rows.bytes();
        _newest_rows.clear();
    }
    _keys.clear();
    _rows_counts.clear();
    _newest.clear();
    _oldest.clear();
    _with_newest_row.clear();
    return out;
}

base::expected<partition_page> partition_page::parse(std::string_view bytes, const segment_schema& schema,
                                                     codec::zstd_decompressor& zstd) {
    base::byte_reader in(bytes);
    partition_page page;
    const uint64_t count = in.varint();
    uint64_t row = in.varint();
    if (!in.ok() || count == 0 || count > segment_layout::page_partitions_max) {
        return bad_page("head");
    }
    std::vector<int64_t> rows_counts;
    std::vector<int64_t> newest;
    std::vector<int64_t> oldest;
    codec::bitmap with_newest_row;
    take_sorted_chunk(in, count, zstd, page._keys);
    take_chunk(in, count, rows_counts);
    take_chunk(in, count, newest);
    take_chunk(in, count, oldest);
    take_chunk(in, count, with_newest_row);
    if (!in.ok()) {
        return bad_page("columns");
    }
    uint32_t newest_rows_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const auto rows_count = static_cast<uint64_t>(rows_counts[i]);
        page._partitions.push_back({row, rows_count, newest[i], oldest[i], with_newest_row[i] ? newest_rows_count++ : no_row});
        row += rows_count;
    }
    if (newest_rows_count != 0) {
        auto block = block_view::parse(in.rest(), schema);
        if (!block || block->rows_count() != newest_rows_count) {
            return bad_page("newest rows");
        }
        page._newest_rows = std::move(*block);
    } else if (!in.done()) {
        return bad_page("length");
    }
    return page;
}

partition_info partition_page::operator[](size_t i) const {
    const auto& p = _partitions[i];
    return {.partition_key = _keys[i],
            .first_row = p.first_row,
            .rows_count = p.rows_count,
            .newest = as_tick(p.newest),
            .oldest = as_tick(p.oldest),
            .newest_row = p.newest_row != no_row ? std::optional<size_t>(p.newest_row) : std::nullopt};
}

size_t partition_page::heap_bytes() const {
    return _keys.bytes.capacity() + _keys.offsets.capacity() * sizeof(int32_t) + _partitions.capacity() * sizeof(partition);
}

std::optional<size_t> partition_page::find(std::string_view partition_key) const {
    const size_t at = lower_bound(partition_key);
    return at < size() && _keys[at] == partition_key ? std::optional(at) : std::nullopt;
}

} // namespace tables
