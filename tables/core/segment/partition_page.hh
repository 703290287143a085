// A page of the partition directory: what partitions a segment has, how many rows each, from when to when, and for those with
// many rows the newest one itself. So the last point of every series, and which series there are, is known without a block.
//
//   page      = partitions count varint, first row varint, *chunk (sorted partition keys, rows counts, newest and oldest ticks,
//               bitmap of those whose newest row is here), block (block_builder.hh) of those rows, or nothing
//
// In the file a checksum follows (segment_layout.hh).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hh"
#include "tables/core/segment/block_builder.hh"
#include "tables/core/segment/block_view.hh"

namespace tables {

struct partition_info {
    std::string_view partition_key;
    uint64_t first_row = 0; // its ordinal in the segment
    uint64_t rows_count = 0;
    std::optional<base::tick> newest; // of its time keys
    std::optional<base::tick> oldest;
    std::optional<size_t> newest_row; // index into the page's newest_rows()
};

class partition_page_builder {
public:
    // The newest rows add their columns to the schema of the segment, which has them all anyway.
    explicit partition_page_builder(segment_schema& schema) : _newest_rows(schema) {}

    // Needs: partitions in order; `newest_row` is of this partition, or nothing.
    void add(const partition_info&, const segment_row* newest_row);

    bool empty() const { return _rows_counts.empty(); }
    bool is_full() const;
    size_t partitions_count() const { return _rows_counts.size(); }
    std::string_view first_key() const { return _keys[0]; }
    // The page without its checksum; the builder is empty then. Needs: at least one partition.
    std::string take(codec::zstd_compressor&);

private:
    uint64_t _first_row = 0;
    codec::texts _keys;
    std::vector<int64_t> _rows_counts;
    std::vector<int64_t> _newest; // -1: no time keys
    std::vector<int64_t> _oldest;
    codec::bitmap _with_newest_row;
    block_builder _newest_rows;
};

// Borrows the bytes.
class partition_page {
public:
    static base::expected<partition_page> parse(std::string_view bytes, const segment_schema&, codec::zstd_decompressor&);

    size_t size() const { return _partitions.size(); }
    // Borrows from the page.
    partition_info operator[](size_t i) const;
    std::optional<size_t> find(std::string_view partition_key) const;
    // The first that is not before it; size() when there is none.
    size_t lower_bound(std::string_view partition_key) const { return _keys.lower_bound(partition_key); }
    size_t heap_bytes() const;
    // A block of newest rows: it can be read by columns or by rows. Null when there is none.
    const block_view* newest_rows() const { return _newest_rows ? &*_newest_rows : nullptr; }
    // For who decodes them: then the page borrows nothing any more.
    std::optional<block_view> take_newest_rows() { return std::exchange(_newest_rows, std::nullopt); }

private:
    struct partition {
        uint64_t first_row;
        uint64_t rows_count;
        int64_t newest;
        int64_t oldest;
        uint32_t newest_row; // or no_row
    };
    static constexpr uint32_t no_row = UINT32_MAX;

    codec::texts _keys;
    std::vector<partition> _partitions;
    std::optional<block_view> _newest_rows;
};

} // namespace tables
