#include "tables/core/segment/segment_builder.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/limits.hh"

namespace tables {
namespace {

// Filters are given out in pieces of about this size.
constexpr size_t filters_piece_bytes = 64 * 1'024;

void widen(std::optional<base::tick>& newest, std::optional<base::tick>& oldest, base::tick t) {
    newest = newest ? std::max(*newest, t) : t;
    oldest = oldest ? std::min(*oldest, t) : t;
}

} // namespace

segment_builder::segment_builder(const segment_options& options)
    : _options(options), _partitions(_footer.schema, options.placement), _open(_footer.schema), _closed(_footer.schema) {
    assert(options.block_rows_max >= 1 && options.block_rows_max <= segment_layout::block_rows_limit);
    assert(options.block_raw_bytes_max <= segment_layout::block_raw_bytes_limit);
    _footer.facts.table = options.table;
    _footer.facts.sequence_min = options.sequence_min;
    _footer.facts.sequence_max = options.sequence_max;
}

bool segment_builder::is_full() const {
    // The block that is open will still come, with columns of its own.
    return _footer.blocks.is_full() || _footer.schema.size() + 2 * properties_max > segment_layout::segment_columns_max;
}

// Small rows are points of series and read by the hundred; large ones are entities and read one by one, and decoding its block is
// what that costs.
size_t segment_builder::raw_bytes_max(size_t with_row) const {
    const bool is_large = (_open.raw_bytes() + with_row) / (_open.rows_count() + 1) >= _options.large_row_bytes;
    return is_large ? std::min(_options.block_raw_bytes_max, _options.large_row_block_bytes) : _options.block_raw_bytes_max;
}

bool segment_builder::must_close(const segment_row& row) const {
    const size_t bytes = block_builder::raw_bytes(row);
    return _open.rows_count() == _options.block_rows_max || _open.raw_bytes() + bytes > raw_bytes_max(bytes) ||
           _open.columns_count() + row.row.size() > segment_layout::block_columns_max;
}

void segment_builder::add(const segment_row& row) {
    assert(_stage == stage::rows && _closed.empty() && !_partitions.page().is_full());
    assert(block_builder::raw_bytes(row) <= segment_layout::row_raw_bytes_max);
    assert(_open.empty() || _partitions.current_key() < row.partition_key ||
           (_partitions.current_key() == row.partition_key && _open_ends.last_row_key < row.row_key));
    if (!_open.empty() && must_close(row)) {
        close_block();
    }
    if (_open.empty()) {
        _open_ends.first_partition_key = row.partition_key;
        _open_ends.first_row_key = row.row_key;
    }
    const auto row_time = _open.add(row);
    _open_ends.last_row_key = row.row_key;
    _partitions.add(row, row_time);
    auto& facts = _footer.facts;
    if (row_time) {
        widen(facts.newest, facts.oldest, *row_time);
    } else {
        ++facts.text_keys_count;
    }
    facts.timestamp_min = facts.rows_count == 0 ? row.timestamp : std::min(facts.timestamp_min, row.timestamp);
    facts.timestamp_max = facts.rows_count == 0 ? row.timestamp : std::max(facts.timestamp_max, row.timestamp);
    ++facts.rows_count;
    facts.merges_count += row.kind == row_kind::merge ? 1 : 0;
    facts.removes_count += row.kind == row_kind::remove ? 1 : 0;
}

void segment_builder::close_block() {
    assert(_closed.empty());
    _open_ends.last_partition_key = _partitions.current_key();
    std::swap(_open, _closed);
    std::swap(_open_ends, _closed_ends);
}

void segment_builder::finish() {
    assert(_stage == stage::rows && _closed.empty() && !_open.empty());
    close_block();
    _partitions.finish();
    _footer.facts.slots = _partitions.slots();
    _footer.facts.partitions_count = _partitions.partitions_count();
    _stage = stage::page;
}

std::optional<std::string> segment_builder::step() {
    if (!_closed.empty()) {
        return _closed.encode_step(_zstd) ? std::string() : take_block();
    }
    if (_partitions.page().is_full()) {
        return take_page();
    }
    return finish_step();
}

std::optional<std::string> segment_builder::finish_step() {
    switch (_stage) {
    case stage::page:
        _stage = stage::filters;
        _footer.filters_offset = _offset;
        if (!_partitions.page().empty()) {
            auto page = take_page();
            _footer.filters_offset = _offset;
            return page;
        }
        [[fallthrough]];
    case stage::filters:
        if (_filters_taken < _filters.size()) {
            return take_filters();
        }
        _stage = stage::footer;
        [[fallthrough]];
    case stage::footer: _stage = stage::done; return take_footer();
    case stage::rows:
    case stage::done: break;
    }
    return std::nullopt;
}

file_extent segment_builder::seal(std::string& bytes) {
    base::put_fixed(bytes, segment_layout::checksum(bytes, _options.seed, _offset));
    const file_extent extent{_offset, bytes.size()};
    _offset = extent.end();
    return extent;
}

std::string segment_builder::take_block() {
    auto bytes = _closed.bytes();
    auto& filter = _filters.emplace_back();
    _closed.filter().encode(filter);
    const auto& keys = _closed.keys();
    _footer.blocks.add({.extent = seal(bytes),
                        .rows_count = _closed.rows_count(),
                        .text_keys_count = _closed.rows_count() - keys.time_keys_count(),
                        .newest = keys.newest(),
                        .oldest = keys.oldest(),
                        .filter_size = filter.size() + segment_layout::checksum_bytes,
                        .first_partition_key = _closed_ends.first_partition_key,
                        .first_row_key = _closed_ends.first_row_key,
                        .last_partition_key = _closed_ends.last_partition_key,
                        .last_row_key = _closed_ends.last_row_key});
    for (auto& [id, buffer] : _closed.columns()) {
        _footer.blocks.add_range(id, buffer.type(), buffer.range());
    }
    _closed.clear();
    return bytes;
}

std::string segment_builder::take_page() {
    const size_t partitions_count = _partitions.page().partitions_count();
    const std::string first_key(_partitions.page().first_key());
    auto bytes = _partitions.page().take(_zstd);
    _footer.pages.add({seal(bytes), partitions_count, first_key});
    return bytes;
}

std::string segment_builder::take_filters() {
    std::string piece;
    while (_filters_taken < _filters.size() && piece.size() < filters_piece_bytes) {
        auto filter = std::move(_filters[_filters_taken++]);
        seal(filter);
        piece += filter;
    }
    return piece;
}

std::string segment_builder::take_footer() {
    std::string bytes;
    _footer.encode(_zstd, bytes);
    const segment_trailer trailer{.footer = {_offset, bytes.size()},
                                  .footer_checksum = segment_layout::checksum(bytes, _options.seed, _offset),
                                  .seed = _options.seed};
    trailer.encode(bytes);
    _offset += bytes.size();
    return bytes;
}

} // namespace tables
