#include "tables/core/segment/column_buffer.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <type_traits>

#include "tables/core/codec/extremes.hh"
#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/real_column.hh"
#include "tables/core/codec/real_vector.hh"
#include "tables/core/codec/text_column.hh"
#include "tables/core/key.hh"
#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

std::string_view bytes_of(const guid& g) {
    return {reinterpret_cast<const char*>(g.bytes.data()), g.bytes.size()};
}

} // namespace

void column_buffer::skip_to(size_t row) {
    assert(row >= _presence.size());
    if (row != _presence.size()) {
        _presence.append(row - _presence.size(), false);
    }
}

void column_buffer::add_packed(size_t row, size_t count, const char* packed, size_t stride) {
    skip_to(row);
    _presence.append(count, true);
    const auto load = [&]<class T>(std::type_identity<T>, const auto& add) {
        for (size_t i = 0; i < count; ++i) {
            T value;
            std::memcpy(&value, packed + i * stride, sizeof value);
            add(value);
        }
    };
    switch (_type) {
    case value_type::int32: return load(std::type_identity<int32_t>(), [&](int32_t v) { _ints.push_back(v); });
    case value_type::int64:
    case value_type::datetime: return load(std::type_identity<int64_t>(), [&](int64_t v) { _ints.push_back(v); });
    case value_type::real: return load(std::type_identity<double>(), [&](double v) { _reals.push_back(v); });
    case value_type::boolean: return load(std::type_identity<uint8_t>(), [&](uint8_t v) { _booleans.push_back(v != 0); });
    case value_type::guid: return load(std::type_identity<guid>(), [&](const guid& g) { _texts.push_back(bytes_of(g)); });
    case value_type::string:
    case value_type::binary: break;
    }
    assert(!"strings and binaries are not in the fixed part");
}

void column_buffer::add(size_t row, const value& v) {
    assert(v.type() == _type);
    skip_to(row);
    _presence.push_back(true);
    switch (_type) {
    case value_type::int32: _ints.push_back(v.as_int32()); break;
    case value_type::int64: _ints.push_back(v.as_int64()); break;
    case value_type::datetime: _ints.push_back(v.as_datetime().value); break;
    case value_type::real: _reals.push_back(v.as_real()); break;
    case value_type::boolean: _booleans.push_back(v.as_boolean()); break;
    case value_type::string: _texts.push_back(v.as_string()); break;
    case value_type::binary: _texts.push_back(v.as_binary()); break;
    case value_type::guid: _texts.push_back(bytes_of(v.as_guid())); break;
    }
}

void column_buffer::encode_presence(size_t rows_count, std::string& out) {
    assert(_presence.size() <= rows_count);
    _presence.append(rows_count - _presence.size(), false);
    codec::encode_bitmap(_presence, out);
}

void column_buffer::encode_values(codec::zstd_compressor& zstd, std::string& out) const {
    switch (_type) {
    case value_type::int32:
    case value_type::int64:
    case value_type::datetime: return codec::encode_int_column(_ints, out);
    case value_type::real: return codec::encode_real_column(_reals, out);
    case value_type::boolean: return codec::encode_bitmap(_booleans, out);
    case value_type::string:
    case value_type::binary:
    case value_type::guid: return codec::encode_text_column(_texts, zstd, out);
    }
}

value_range column_buffer::range() {
    value_range range;
    switch (_type) {
    case value_type::int32:
    case value_type::int64:
    case value_type::datetime: range = int_range(); break;
    case value_type::real: range = real_range(); break;
    case value_type::boolean: {
        const size_t trues = _booleans.count();
        range = {.has_bounds = true, .low = trues == _booleans.size() ? 1 : 0, .high = trues == 0 ? 0 : 1};
        break;
    }
    case value_type::string: range = text_range(); break;
    case value_type::binary:
    case value_type::guid: break;
    }
    range.values_count = static_cast<uint32_t>(_presence.count());
    return range;
}

value_range column_buffer::int_range() const {
    const auto [low, high] = codec::extremes_of(_ints);
    return {.has_bounds = true, .low = low, .high = high};
}

value_range column_buffer::real_range() const {
    value_range range;
    for (const double v : _reals) {
        if (v != v) {
            range.has_nan = true;
            continue;
        }
        const int64_t ordered = codec::ordered_bits(std::bit_cast<int64_t>(v));
        range.low = range.has_bounds ? std::min(range.low, ordered) : ordered;
        range.high = range.has_bounds ? std::max(range.high, ordered) : ordered;
        range.has_bounds = true;
    }
    return range;
}

value_range column_buffer::text_range() {
    std::string scratch;
    for (size_t i = 0; i < _texts.size(); ++i) {
        const auto text = collate(_texts[i], scratch);
        if (i == 0 || text < _low_text) {
            _low_text = text;
        }
        if (i == 0 || text > _high_text) {
            _high_text = text;
        }
    }
    const bool is_high_cut = _high_text.size() > segment_layout::range_text_bytes_max;
    _low_text.resize(std::min(_low_text.size(), segment_layout::range_text_bytes_max));
    _high_text.resize(std::min(_high_text.size(), segment_layout::range_text_bytes_max));
    return {.has_bounds = true, .is_high_cut = is_high_cut, .low_text = _low_text, .high_text = _high_text};
}

} // namespace tables
