#include "blobs/core/part_columns.hh"

namespace blobs {
namespace {

uint64_t bits_of(const base::value& v) {
    switch (v.type()) {
    case base::value_type::int32: return static_cast<uint64_t>(static_cast<int64_t>(v.as_int32()));
    case base::value_type::int64: return static_cast<uint64_t>(v.as_int64());
    case base::value_type::real: return std::bit_cast<uint64_t>(v.as_real());
    case base::value_type::boolean: return v.as_boolean() ? 1 : 0;
    case base::value_type::datetime: return static_cast<uint64_t>(v.as_datetime().value);
    default: return 0;
    }
}

} // namespace

part_columns_writer::shape& part_columns_writer::shape_of(const record& r) {
    _scratch.clear();
    base::put_varint(_scratch, r.fields.size());
    for (const auto& field : r.fields) {
        base::put_bytes(_scratch, field.name);
        _scratch.push_back(static_cast<char>(field.value.type()));
    }
    // Most often it is the shape of the record before.
    if (!_shape_of.empty() && _shape_texts[_shape_of.back()] == _scratch) {
        _shape_of.push_back(_shape_of.back());
        return _shapes[_shape_of.back()];
    }
    const auto [place, is_new] = _shape_places.try_emplace(_scratch, _shapes.size());
    if (is_new) {
        _shape_texts.push_back(_scratch);
        auto& made = _shapes.emplace_back();
        made.columns.resize(r.fields.size());
        for (const auto& field : r.fields) {
            made.types.push_back(field.value.type());
        }
    }
    _shape_of.push_back(place->second);
    return _shapes[place->second];
}

void part_columns_writer::add_text(std::string_view value, std::string_view text, size_t& end, field_column& column) {
    column.sizes.push_back(value.size());
    if (value.empty() || !is_part_of(value, text)) {
        column.numbers.push_back(0);
        column.apart += value;
        return;
    }
    const auto begin = static_cast<size_t>(value.data() - text.data());
    column.numbers.push_back(1 + base::zigzag(static_cast<int64_t>(begin) - static_cast<int64_t>(end)));
    end = begin + value.size();
}

void part_columns_writer::add(const record& r) {
    if (r.message.empty() || !is_part_of(r.message, r.text)) {
        _begins.push_back(0);
        _rests.push_back(r.message.size());
        _messages_apart += r.message;
    } else {
        const auto begin = static_cast<size_t>(r.message.data() - r.text.data());
        _begins.push_back(1 + begin);
        _rests.push_back(r.text.size() - begin - r.message.size());
    }
    auto& shape = shape_of(r);
    ++shape.records_count;
    size_t end = 0;
    for (size_t f = 0; f < r.fields.size(); ++f) {
        const auto& value = r.fields[f].value;
        auto& column = shape.columns[f];
        switch (value.type()) {
        case base::value_type::string: add_text(value.as_string(), r.text, end, column); break;
        case base::value_type::binary:
            column.sizes.push_back(value.as_binary().size());
            column.apart += value.as_binary();
            break;
        case base::value_type::guid:
            column.stored.append(reinterpret_cast<const char*>(value.as_guid().bytes.data()), value.as_guid().bytes.size());
            break;
        default: column.numbers.push_back(bits_of(value)); break;
        }
    }
}

void part_columns_writer::encode(number_writer& numbers, block_streams& out) const {
    numbers.put(_begins, out);
    numbers.put(_rests, out);
    out[stream::side] += _messages_apart;
    base::put_varint(out[stream::heads], _shapes.size());
    for (const auto& text : _shape_texts) {
        out[stream::side] += text;
    }
    numbers.put(_shape_of, out);
    for (const auto& shape : _shapes) {
        for (const auto& column : shape.columns) {
            numbers.put(column.numbers, out);
            numbers.put(column.sizes, out);
            out[stream::side] += column.apart;
            out[stream::stored] += column.stored;
        }
    }
}

void part_columns_writer::clear() {
    _begins.clear();
    _rests.clear();
    _messages_apart.clear();
    _shape_of.clear();
    _shapes.clear();
    _shape_texts.clear();
    _shape_places.clear();
}

} // namespace blobs
