// A segment of one table, open on this shard: its footer in memory, its blocks by way of the cache.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include <seastar/core/future.hh>
#include <seastar/core/shared_ptr.hh>

#include "base/error.hh"
#include "base/placement.hh"
#include "shard/scrub.hh"
#include "tables/block_cache.hh"
#include "tables/core/damaged_keys.hh"
#include "tables/core/segment/block_columns.hh"
#include "tables/core/segment/decoded_block.hh"
#include "tables/core/segment/decoded_page.hh"
#include "tables/core/segment/segment_view.hh"
#include "tables/partitions_mark.hh"
#include "tables/segment_file.hh"

namespace tables {

class cached_block final : public cached_part {
public:
    explicit cached_block(std::unique_ptr<decoded_block> rows) : _rows(std::move(rows)) {}
    size_t bytes() const override { return _rows->bytes(); }
    const decoded_block& rows() const { return *_rows; }

private:
    std::unique_ptr<const decoded_block> _rows;
};
using block_ptr = seastar::shared_ptr<cached_block>;

class cached_page final : public cached_part {
public:
    explicit cached_page(std::unique_ptr<decoded_page> p) : _partitions(std::move(p)) {}
    size_t bytes() const override { return _partitions->bytes(); }
    const decoded_page& partitions() const { return *_partitions; }

private:
    std::unique_ptr<const decoded_page> _partitions;
};
using page_ptr = seastar::shared_ptr<cached_page>;

class cached_columns final : public cached_part {
public:
    explicit cached_columns(std::unique_ptr<block_columns> c) : _columns(std::move(c)) {}
    size_t bytes() const override { return _columns->bytes(); }
    const block_columns& columns() const { return *_columns; }

private:
    std::unique_ptr<const block_columns> _columns;
};
using columns_ptr = seastar::shared_ptr<cached_columns>;

class segment {
public:
    // Reads the footer. corrupt with the path, io_error.
    static seastar::future<base::expected<seastar::lw_shared_ptr<segment>>> open(block_cache&, codec::zstd_decompressor&,
                                                                                 segment_file_ptr, stored_segment);

    segment(block_cache&, codec::zstd_decompressor&, segment_file_ptr, stored_segment, segment_view);

    const segment_view& view() const { return _view; }
    const segment_facts& facts() const { return _view.facts(); }
    segment_file& file() const { return *_file; }
    uint64_t bytes() const { return _place.extent.size; }
    const stored_segment& place() const { return _place; }

    // One data read at most. P3: what fails its checksum is an error that names the file and the range.
    seastar::future<base::expected<block_ptr>> block(size_t i);
    // Page i of the partition directory, likewise.
    seastar::future<base::expected<page_ptr>> page(size_t i);
    // Block i by columns, at least these, and its keys.
    seastar::future<base::expected<columns_ptr>> columns(size_t i, std::vector<column_id> wanted);
    // The same without waiting: null when it is not in the cache.
    block_ptr block_at_hand(size_t i);
    page_ptr page_at_hand(size_t i);
    // Whether block i may have the row, by its filter. The keys stay alive until it resolves.
    seastar::future<bool> may_have(size_t i, std::string_view partition_key, std::string_view row_key);

    // What is lost with a block, or with a page of the directory, that gave this error.
    damaged_keys lost_block(size_t i, base::error) const;
    damaged_keys lost_page(size_t i, base::error) const;

    // Reads all of it from the disk, past the cache, and tells what fails its checksum.
    seastar::future<> verify(shard::scrub&);

    // After a change of the core count a file may have rows of several shards, and rows that were taken into other files since:
    // each shard looks only at what is its own.
    bool is_partial() const { return _is_partial; }
    bool is_ours(std::string_view partition_key) const { return !_is_partial || _slots.has(_placement.slot_of(partition_key)); }
    const slot_set& slots() const { return _slots; }
    void keep_only(const slot_set& slots, base::placement placement) {
        _slots = slots;
        _placement = placement;
        _is_partial = slots != facts().slots;
    }

    // Who knows partitions up to here knows all of this segment. Set by its table.
    const partitions_mark& brings() const { return _brings; }
    void set_brings(const partitions_mark& m) { _brings = m; }

private:
    seastar::future<base::expected<cached_ptr>> load_block(size_t i);
    seastar::future<base::expected<cached_ptr>> load_page(size_t i);
    seastar::future<base::expected<cached_ptr>> load_columns(size_t i, std::vector<column_id> wanted);
    seastar::future<base::expected<cached_ptr>> load_filters(segment_view::filter_group);
    using part_check = std::function<base::expected<void>(std::string_view)>;
    seastar::future<> verify_part(shard::scrub&, file_extent, part_check);
    file_extent in_file(file_extent e) const { return {_place.extent.offset + e.offset, e.size}; }
    base::error with_place(base::error, file_extent) const;

    block_cache& _cache;
    codec::zstd_decompressor& _zstd;
    segment_file_ptr _file;
    stored_segment _place;
    segment_view _view;
    const uint64_t _number; // in the cache
    slot_set _slots;        // whose rows are read here
    base::placement _placement;
    bool _is_partial = false;
    partitions_mark _brings;
};

using segment_ptr = seastar::lw_shared_ptr<segment>;

} // namespace tables
