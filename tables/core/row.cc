#include "tables/core/row.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

#include "base/checksum.hh"

namespace tables {
namespace {

constexpr uint32_t heap_begin = std::numeric_limits<uint32_t>::max(); // in _heap_starts: the first of its row

template <class T>
T load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
char* store(char* to, T value) {
    std::memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

std::string_view heap_bytes_of(const value& v) {
    return v.type() == value_type::string ? v.as_string() : v.as_binary();
}

char* store_fixed(char* to, const value& v) {
    switch (v.type()) {
    case value_type::boolean: return store<uint8_t>(to, v.as_boolean() ? 1 : 0);
    case value_type::int32: return store(to, v.as_int32());
    case value_type::int64: return store(to, v.as_int64());
    case value_type::real: return store(to, v.as_real());
    case value_type::datetime: return store(to, v.as_datetime().value);
    case value_type::guid: return store(to, v.as_guid().bytes);
    case value_type::string:
    case value_type::binary: break;
    }
    assert(!"strings and binaries are not in the fixed part");
    return to;
}

// Names are short: two overlapping loads beat a call of memcmp, and this runs for every property of every row.
[[gnu::always_inline]] inline bool same_bytes(const char* a, const char* b, size_t size) {
    if (size >= 8 && size <= 16) {
        return load<uint64_t>(a) == load<uint64_t>(b) && load<uint64_t>(a + size - 8) == load<uint64_t>(b + size - 8);
    }
    if (size >= 4 && size < 8) {
        return load<uint32_t>(a) == load<uint32_t>(b) && load<uint32_t>(a + size - 4) == load<uint32_t>(b + size - 4);
    }
    return std::memcmp(a, b, size) == 0;
}

bool same_column(const column& c, std::string_view name, value_type type) {
    return c.type == type && c.name.size() == name.size() && same_bytes(c.name.data(), name.data(), name.size());
}

uint64_t mix(uint64_t hash, std::string_view name, value_type type) {
    return (std::rotl(hash, 23) ^ base::stable_hash(name) ^ static_cast<uint8_t>(type)) * 0x9e3779b97f4a7c15ULL;
}

} // namespace

shape::shape(std::vector<column> columns) : _columns(std::move(columns)) {
    assert(std::ranges::adjacent_find(_columns, std::greater_equal{}, &column::name) == _columns.end());
    _is_fixed = std::ranges::none_of(_columns, is_in_heap, &column::type);
    _offsets.reserve(_columns.size());
    uint32_t heap_start = heap_begin;
    for (const auto& c : _columns) {
        _offsets.push_back(_fixed_bytes);
        if (!_is_fixed) {
            _heap_starts.push_back(heap_start);
        }
        if (is_in_heap(c.type)) {
            heap_start = _fixed_bytes;
        }
        _has_booleans |= c.type == value_type::boolean;
        _hash = mix(_hash, c.name, c.type);
        _fixed_bytes += fixed_width(c.type);
    }
}

std::optional<size_t> shape::find(std::string_view name) const {
    const auto at = std::ranges::lower_bound(_columns, name, {}, &column::name);
    if (at == _columns.end() || at->name != name) {
        return std::nullopt;
    }
    return static_cast<size_t>(at - _columns.begin());
}

bool shape::fits(std::span<const property> sorted) const {
    return std::ranges::equal(_columns, sorted,
                              [](const column& c, const property& p) { return same_column(c, p.name, p.value.type()); });
}

bool shape::operator==(const shape& other) const {
    return _hash == other._hash && std::ranges::equal(_columns, other._columns, [](const column& a, const column& b) {
               return same_column(a, b.name, b.type);
           });
}

size_t shape::heap_bytes() const {
    size_t bytes = _columns.capacity() * sizeof(column) + (_offsets.capacity() + _heap_starts.capacity()) * sizeof(uint32_t);
    for (const auto& c : _columns) {
        const bool is_inline = c.name.capacity() <= std::string().capacity();
        bytes += is_inline ? 0 : c.name.capacity() + 1;
    }
    return bytes;
}

bool row_view::is_valid() const {
    if (_shape == nullptr || _bytes.size() < _shape->fixed_bytes()) {
        return false;
    }
    const size_t heap_size = _bytes.size() - _shape->fixed_bytes();
    if (_shape->_is_fixed && !_shape->_has_booleans) {
        return heap_size == 0;
    }
    uint32_t end = 0;
    for (size_t i = 0; i < _shape->size(); ++i) {
        const char* at = _bytes.data() + _shape->offset(i);
        const auto type = (*_shape)[i].type;
        if (type == value_type::boolean && load<uint8_t>(at) > 1) {
            return false;
        }
        if (is_in_heap(type)) {
            const auto next = load<uint32_t>(at);
            if (next < end) {
                return false;
            }
            end = next;
        }
    }
    return end == heap_size;
}

std::string_view row_view::heap_bytes_of(size_t i) const {
    const auto from = _shape->_heap_starts[i];
    const uint32_t begin = from == heap_begin ? 0 : load<uint32_t>(_bytes.data() + from);
    const auto end = load<uint32_t>(_bytes.data() + _shape->offset(i));
    return {_bytes.data() + _shape->fixed_bytes() + begin, end - begin};
}

property row_view::operator[](size_t i) const {
    const auto& c = (*_shape)[i];
    const char* at = _bytes.data() + _shape->offset(i);
    switch (c.type) {
    case value_type::string: return {c.name, value::of_string(heap_bytes_of(i))};
    case value_type::binary: return {c.name, value::of_binary(heap_bytes_of(i))};
    case value_type::boolean: return {c.name, value::of_boolean(load<uint8_t>(at) != 0)};
    case value_type::int32: return {c.name, value::of_int32(load<int32_t>(at))};
    case value_type::int64: return {c.name, value::of_int64(load<int64_t>(at))};
    case value_type::real: return {c.name, value::of_real(load<double>(at))};
    case value_type::datetime: return {c.name, value::of_datetime(base::tick{load<int64_t>(at)})};
    case value_type::guid: return {c.name, value::of_guid(load<guid>(at))};
    }
    assert(!"a shape holds only known types");
    return {c.name, value::of_boolean(false)};
}

std::optional<value> row_view::find(std::string_view name) const {
    if (_shape == nullptr) {
        return std::nullopt;
    }
    const auto i = _shape->find(name);
    return i ? std::optional((*this)[*i].value) : std::nullopt;
}

size_t packed_bytes(std::span<const property> sorted) {
    size_t bytes = 0;
    for (const auto& p : sorted) {
        bytes += fixed_width(p.value.type());
        if (is_in_heap(p.value.type())) {
            bytes += heap_bytes_of(p.value).size();
        }
    }
    return bytes;
}

void pack_row(std::span<const property> sorted, char* out) {
    uint32_t heap_end = 0;
    for (const auto& p : sorted) {
        if (is_in_heap(p.value.type())) {
            heap_end += static_cast<uint32_t>(heap_bytes_of(p.value).size());
            out = store(out, heap_end);
        } else {
            out = store_fixed(out, p.value);
        }
    }
    if (heap_end == 0) {
        return;
    }
    for (const auto& p : sorted) {
        if (is_in_heap(p.value.type())) {
            out = std::ranges::copy(heap_bytes_of(p.value), out).out;
        }
    }
}

void pack_row(std::span<const property> sorted, std::string& out) {
    const size_t before = out.size();
    out.resize(before + packed_bytes(sorted));
    pack_row(sorted, out.data() + before);
}

shape shape_of(std::span<const property> sorted) {
    std::vector<column> columns;
    columns.reserve(sorted.size());
    for (const auto& p : sorted) {
        columns.push_back({std::string(p.name), p.value.type()});
    }
    return shape(std::move(columns));
}

uint64_t shape_hash(std::span<const property> sorted) {
    uint64_t hash = 0;
    for (const auto& p : sorted) {
        hash = mix(hash, p.name, p.value.type());
    }
    return hash;
}

} // namespace tables
