#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/coding.hh"
#include "tables/core/limits.hh"
#include "tables/core/row_batch.hh"
#include "tables/core/row_batch_layout.hh"

namespace tables {
namespace {

using namespace row_batch_layout;

constexpr size_t varint32_bytes_max = 5;
// Flags, timestamp, and the sizes of both keys and of the row, and the shape.
constexpr size_t head_bytes_max = 1 + sizeof(base::tick) + 4 * varint32_bytes_max;

char* put_varint(char* to, uint32_t value) {
    while (value >= 0x80) {
        *to++ = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    *to++ = static_cast<char>(value);
    return to;
}

char* put_bytes(char* to, std::string_view bytes) {
    to = put_varint(to, static_cast<uint32_t>(bytes.size()));
    return std::ranges::copy(bytes, to).out;
}

} // namespace

void set_timestamp(std::span<char> batch, base::tick t) {
    assert(batch.size() >= head_bytes);
    std::memcpy(batch.data() + timestamp_at, &t.value, sizeof t.value);
}

row_batch_builder::row_batch_builder(base::table_id table) : _table(table) {
    clear();
}

void row_batch_builder::clear() {
    _bytes.clear();
    base::put_fixed(_bytes, version);
    base::put_fixed(_bytes, _table.value);
    base::put_fixed<uint64_t>(_bytes, 0);
    base::put_fixed<uint32_t>(_bytes, 0);
    assert(_bytes.size() == head_bytes);
    _rows_count = 0;
    _last_shape = no_shape;
    _shapes.clear();
    _shapes_by_hash.clear();
}

std::string row_batch_builder::take() {
    auto batch = std::move(_bytes);
    clear();
    return batch;
}

std::optional<uint32_t> row_batch_builder::find_shape(uint64_t hash, const auto& is_it) const {
    const auto [first, last] = _shapes_by_hash.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        if (is_it(_shapes[at->second])) {
            return at->second;
        }
    }
    return std::nullopt;
}

uint32_t row_batch_builder::define_shape(shape s) {
    std::string definition;
    base::put_varint(definition, s.size());
    for (size_t i = 0; i < s.size(); ++i) {
        base::put_bytes(definition, s[i].name);
        definition += static_cast<char>(s[i].type);
    }
    _bytes += static_cast<char>(shape_item);
    base::put_bytes(_bytes, definition);
    const auto index = static_cast<uint32_t>(_shapes.size());
    _shapes_by_hash.emplace(s.hash(), index);
    _shapes.push_back(std::move(s));
    return index;
}

uint32_t row_batch_builder::shape_for(std::span<const property> sorted) {
    const auto fits = [&](const shape& s) { return s.fits(sorted); };
    if (_last_shape != no_shape && fits(_shapes[_last_shape])) {
        return _last_shape;
    }
    const auto known = find_shape(shape_hash(sorted), fits);
    return known ? *known : define_shape(shape_of(sorted));
}

uint32_t row_batch_builder::shape_for(const shape& wanted) {
    if (_last_shape != no_shape && _shapes[_last_shape] == wanted) {
        return _last_shape;
    }
    const auto known = find_shape(wanted.hash(), [&](const shape& s) { return s == wanted; });
    return known ? *known : define_shape(wanted);
}

// Returns where the packed row goes.
char* row_batch_builder::put_head(char* batch, char* to, const head& h) {
    auto flags = static_cast<uint8_t>(h.kind);
    char* const flags_at = to++;
    if (_rows_count > 0 && h.partition_key == std::string_view(batch + _key_at, _key_size)) {
        flags |= same_partition;
    } else {
        to = put_bytes(to, h.partition_key);
        _key_size = h.partition_key.size();
        _key_at = static_cast<size_t>(to - batch) - _key_size;
    }
    to = put_bytes(to, h.row_key);
    if (h.timestamp) {
        flags |= own_timestamp;
        std::memcpy(to, &*h.timestamp, sizeof *h.timestamp);
        to += sizeof *h.timestamp;
    }
    if (h.shape_index != no_shape) {
        if (h.shape_index == _last_shape) {
            flags |= same_shape;
        } else {
            to = put_varint(to, h.shape_index);
            _last_shape = h.shape_index;
        }
        to = put_varint(to, static_cast<uint32_t>(h.packed_size));
    }
    *flags_at = static_cast<char>(flags);
    return to;
}

// One growth of the buffer, to the most that the row can take, and then plain stores.
void row_batch_builder::append(const head& h, const auto& pack) {
    assert(h.partition_key.size() <= key_bytes_max && h.row_key.size() <= key_bytes_max);
    const size_t before = _bytes.size();
    const size_t size_max = before + head_bytes_max + h.partition_key.size() + h.row_key.size() + h.packed_size;
    _bytes.resize_and_overwrite(size_max, [&](char* batch, size_t) {
        char* to = put_head(batch, batch + before, h);
        pack(to);
        ++_rows_count;
        std::memcpy(batch + rows_count_at, &_rows_count, sizeof _rows_count);
        return static_cast<size_t>(to - batch) + h.packed_size;
    });
}

void row_batch_builder::add(row_kind kind, std::string_view partition_key, std::string_view row_key,
                            std::span<const property> sorted) {
    assert(kind != row_kind::remove && sorted.size() <= properties_max);
    const auto index = shape_for(sorted);
    const auto& s = _shapes[index];
    const size_t packed_size = s.is_fixed() ? s.fixed_bytes() : packed_bytes(sorted);
    append({kind, partition_key, row_key, {}, index, packed_size}, [&](char* to) { pack_row(sorted, to); });
}

void row_batch_builder::add_row(row_kind kind, std::string_view partition_key, std::string_view row_key, const row_view& row,
                                std::optional<base::tick> timestamp) {
    if (kind == row_kind::remove) {
        append({kind, partition_key, row_key, timestamp}, [](char*) {});
        return;
    }
    const auto packed = row.bytes();
    append({kind, partition_key, row_key, timestamp, shape_for(row.of_shape()), packed.size()},
           [&](char* to) { std::ranges::copy(packed, to); });
}

} // namespace tables
