#include <algorithm>
#include <cassert>
#include <cstring>

#include <fmt/format.h>

#include "base/coding.hh"
#include "tables/core/limits.hh"
#include "tables/core/row_batch.hh"
#include "tables/core/row_batch_layout.hh"

namespace tables {
namespace {

using namespace row_batch_layout;

// A shape in the batch is the bytes after its mark; fails `in` when it is not one.
shape read_shape(base::byte_reader& in) {
    base::byte_reader definition(in.bytes());
    const auto count = definition.varint();
    if (!definition.ok() || count > properties_max) {
        in.set_failed();
        return {};
    }
    std::vector<column> columns;
    columns.reserve(count);
    for (size_t i = 0; i < count && definition.ok(); ++i) {
        const auto name = definition.bytes();
        const auto type = definition.fixed<uint8_t>();
        const bool is_sorted = columns.empty() || columns.back().name < name;
        if (!is_sorted || !is_value_type(type)) {
            definition.set_failed();
            break;
        }
        columns.push_back({std::string(name), static_cast<value_type>(type)});
    }
    if (!definition.done()) {
        in.set_failed();
        return {};
    }
    return shape(std::move(columns));
}

// The row after its flags. `row` holds the row before, which this one may refer to; a shape that is not there fails `in`.
void read_row(base::byte_reader& in, uint8_t flags, std::span<const shape> shapes, batch_row& row) {
    row.kind = static_cast<row_kind>(flags & kind_mask);
    if ((flags & same_partition) == 0) {
        row.partition_key = in.bytes();
    }
    row.row_key = in.bytes();
    row.has_own_timestamp = (flags & own_timestamp) != 0;
    if (row.has_own_timestamp) {
        row.timestamp = base::tick{static_cast<int64_t>(in.fixed<uint64_t>())};
    }
    if (row.kind == row_kind::remove) {
        row.row = row_view();
        return;
    }
    if ((flags & same_shape) == 0) {
        const auto index = in.varint();
        row.shape_index = static_cast<uint32_t>(std::min<uint64_t>(index, UINT32_MAX));
    }
    const auto packed = in.bytes();
    if (row.shape_index >= shapes.size()) {
        in.set_failed();
        return;
    }
    row.row = row_view(shapes[row.shape_index], packed);
}

// What reading alone does not see: what a first row refers to, bits that mean nothing, keys and rows that are too long or wrong.
bool is_sound(const batch_row& row, uint8_t flags, bool has_row_before, bool has_shape_before) {
    const bool is_remove = row.kind == row_kind::remove;
    if ((flags & kind_mask) == 0 || (flags & ~known_flags) != 0 || ((flags & same_partition) != 0 && !has_row_before)) {
        return false;
    }
    if ((flags & same_shape) != 0 && (is_remove || !has_shape_before)) {
        return false;
    }
    return row.partition_key.size() <= key_bytes_max && row.row_key.size() <= key_bytes_max && (is_remove || row.row.is_valid());
}

template <class T>
T load_at(std::string_view bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

} // namespace

base::expected<row_batch_reader> row_batch_reader::open(std::string_view bytes) {
    if (!bytes.empty() && static_cast<uint8_t>(bytes[0]) > version) {
        return base::fail(base::errc::newer_format, fmt::format("row batch of version {}", static_cast<uint8_t>(bytes[0])));
    }
    if (bytes.size() < head_bytes || static_cast<uint8_t>(bytes[0]) != version) {
        return base::fail(base::errc::corrupt, "row batch: no head");
    }
    row_batch_reader batch(bytes);
    if (!batch.read_items(is_sound) || batch._rows_count != load_at<uint32_t>(bytes, rows_count_at)) {
        return base::fail(base::errc::corrupt, fmt::format("row batch: wrong after {} rows", batch._rows_count));
    }
    return batch;
}

row_batch_reader row_batch_reader::open_built(std::string_view bytes) {
    row_batch_reader batch(bytes);
    [[maybe_unused]] const bool is_whole = batch.read_items([](auto&&...) { return true; });
    assert(is_whole && batch._rows_count == load_at<uint32_t>(bytes, rows_count_at));
    return batch;
}

template <class Check>
bool row_batch_reader::read_items(Check is_sound) {
    base::byte_reader in(_bytes.substr(head_bytes));
    batch_row row;
    bool has_shape_before = false;
    while (in.ok() && in.remaining() > 0) {
        const auto flags = in.fixed<uint8_t>();
        if (flags == shape_item) {
            _shapes.push_back(read_shape(in));
            continue;
        }
        read_row(in, flags, _shapes, row);
        if (!in.ok() || !is_sound(row, flags, _rows_count > 0, has_shape_before)) {
            return false;
        }
        has_shape_before |= row.kind != row_kind::remove;
        ++_rows_count;
    }
    return in.ok();
}

base::table_id row_batch_reader::table() const {
    return {load_at<uint64_t>(_bytes, table_at)};
}

base::tick row_batch_reader::timestamp() const {
    return {load_at<int64_t>(_bytes, timestamp_at)};
}

row_batch_reader::iterator row_batch_reader::begin() const {
    return iterator(*this);
}

row_batch_reader::iterator::iterator(const row_batch_reader& batch)
    : _shapes(batch._shapes), _rest(batch._bytes.substr(head_bytes)), _timestamp(batch.timestamp()) {
    ++*this;
}

row_batch_reader::iterator& row_batch_reader::iterator::operator++() {
    base::byte_reader in(_rest);
    while (in.remaining() > 0) {
        const auto flags = in.fixed<uint8_t>();
        if (flags == shape_item) {
            in.bytes();
            continue;
        }
        _row.timestamp = _timestamp;
        read_row(in, flags, _shapes, _row);
        _rest = in.rest();
        return *this;
    }
    _is_end = true;
    return *this;
}

} // namespace tables
