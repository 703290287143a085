#include <algorithm>

#include "blobs/core/part_columns.hh"

namespace blobs {
namespace {

using base::value_type;

constexpr size_t guid_bytes = 16;

bool is_type(uint8_t type) {
    return type >= static_cast<uint8_t>(value_type::string) && type <= static_cast<uint8_t>(value_type::binary);
}

} // namespace

void part_columns::take_messages(size_t count, stream_readers& in) {
    _begins.resize(count);
    _rests.resize(count);
    take_numbers(in, _begins);
    take_numbers(in, _rests);
    _messages_apart.clear();
    for (size_t i = 0; i < count; ++i) {
        _messages_apart.push_back(_begins[i] == 0 ? in[stream::side].take(_rests[i]) : std::string_view());
    }
}

void part_columns::take_shapes(stream_readers& in) {
    auto& side = in[stream::side];
    const uint64_t count = in[stream::heads].varint();
    if (!in.ok() || count > _shape_of.size()) {
        in[stream::heads].set_failed();
        return;
    }
    for (uint64_t s = 0; s < count && in.ok(); ++s) {
        const uint64_t fields_count = side.varint();
        if (fields_count > fields_max) {
            side.set_failed();
            return;
        }
        auto& made = _shapes.emplace_back();
        for (uint64_t f = 0; f < fields_count && in.ok(); ++f) {
            const auto name = side.bytes();
            const auto type = side.fixed<uint8_t>();
            if (!is_type(type)) {
                side.set_failed();
                return;
            }
            made.columns.push_back({.name = name, .type = static_cast<value_type>(type)});
        }
    }
}

void part_columns::take_values(field_column& column, size_t count, stream_readers& in) {
    column.begin = _numbers.size();
    column.apart_begin = _apart.size();
    if (column.type == value_type::guid) {
        column.stored = in[stream::stored].take(guid_bytes * count).data();
        return;
    }
    const bool is_text = column.type == value_type::string || column.type == value_type::binary;
    const bool has_places = column.type != value_type::binary;
    _numbers.resize(_numbers.size() + (has_places ? count : 0) + (is_text ? count : 0));
    auto numbers = std::span(_numbers).subspan(column.begin);
    if (has_places) {
        take_numbers(in, numbers.first(count));
    }
    if (!is_text) {
        return;
    }
    take_numbers(in, numbers.last(count));
    for (size_t i = 0; i < count && in.ok(); ++i) {
        const bool is_apart = !has_places || numbers[i] == 0;
        _apart.push_back(is_apart ? in[stream::side].take(numbers[numbers.size() - count + i]) : std::string_view());
    }
}

void part_columns::take(size_t count, stream_readers& in) {
    _shapes.clear();
    _numbers.clear();
    _apart.clear();
    _ranks.clear();
    take_messages(count, in);
    _shape_of.resize(count);
    take_shapes(in);
    take_numbers(in, _shape_of);
    size_t values_count = 0;
    for (const uint64_t s : _shape_of) {
        if (!in.ok() || s >= _shapes.size()) {
            in[stream::heads].set_failed();
            return;
        }
        values_count += _shapes[s].columns.size();
        _ranks.push_back(static_cast<uint32_t>(_shapes[s].records_count++));
    }
    if (values_count > block_values_max) {
        in[stream::heads].set_failed();
        return;
    }
    for (auto& s : _shapes) {
        for (auto& column : s.columns) {
            take_values(column, s.records_count, in);
        }
    }
}

bool part_columns::read_value(const field_column& column, const shape& of, size_t rank, std::string_view text, size_t& end,
                              base::value& out) const {
    const uint64_t number =
        column.type == value_type::guid || column.type == value_type::binary ? 0 : _numbers[column.begin + rank];
    switch (column.type) {
    case value_type::string: {
        if (number == 0) {
            out = base::value::of_string(_apart[column.apart_begin + rank]);
            return true;
        }
        const uint64_t size = _numbers[column.begin + of.records_count + rank];
        const uint64_t begin = end + static_cast<uint64_t>(base::unzigzag(number - 1));
        if (begin > text.size() || size > text.size() - begin) {
            return false;
        }
        out = base::value::of_string(text.substr(begin, size));
        end = begin + size;
        return true;
    }
    case value_type::binary: out = base::value::of_binary(_apart[column.apart_begin + rank]); return true;
    case value_type::guid: {
        base::guid g;
        std::copy_n(reinterpret_cast<const uint8_t*>(column.stored) + guid_bytes * rank, guid_bytes, g.bytes.begin());
        out = base::value::of_guid(g);
        return true;
    }
    case value_type::int32: out = base::value::of_int32(static_cast<int32_t>(number)); return true;
    case value_type::int64: out = base::value::of_int64(static_cast<int64_t>(number)); return true;
    case value_type::real: out = base::value::of_real(std::bit_cast<double>(number)); return true;
    case value_type::boolean: out = base::value::of_boolean(number != 0); return true;
    case value_type::datetime: out = base::value::of_datetime({static_cast<int64_t>(number)}); return true;
    }
    return false;
}

bool part_columns::read(size_t i, std::string_view text, std::string_view& message, std::vector<base::property>& fields) const {
    if (_begins[i] == 0) {
        message = _messages_apart[i];
    } else {
        const uint64_t begin = _begins[i] - 1;
        if (begin > text.size() || _rests[i] > text.size() - begin) {
            return false;
        }
        message = text.substr(begin, text.size() - begin - _rests[i]);
    }
    fields.clear();
    const auto& of = _shapes[_shape_of[i]];
    size_t end = 0;
    for (const auto& column : of.columns) {
        auto value = base::value::of_boolean(false);
        if (!read_value(column, of, _ranks[i], text, end, value)) {
            return false;
        }
        fields.push_back({column.name, value});
    }
    return true;
}

} // namespace blobs
