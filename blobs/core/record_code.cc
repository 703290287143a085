#include "blobs/core/record_code.hh"

#include <algorithm>
#include <bit>

#include "blobs/core/copy_bytes.hh"
#include "blobs/core/part_columns.hh"

namespace blobs {
namespace {

using base::value;
using base::value_type;

// A level and four numbers.
constexpr size_t head_bytes_max = 1 + 4 * 10;

char* write_varint(uint64_t value, char* to) {
    for (; value >= 0x80; value >>= 7) {
        *to++ = static_cast<char>(value | 0x80);
    }
    *to++ = static_cast<char>(value);
    return to;
}

char* write_bytes(std::string_view bytes, char* to) {
    return copy_bytes(bytes, write_varint(bytes.size(), to));
}

// Parts that were copied on their way are found again, so that they need not be kept twice.
void put_part(std::string_view part, std::string_view text, std::string& out) {
    size_t begin = std::string_view::npos;
    if (!part.empty()) {
        begin = is_part_of(part, text) ? static_cast<size_t>(part.data() - text.data()) : text.find(part);
    }
    if (begin == std::string_view::npos) {
        out.push_back('\0');
        base::put_bytes(out, part);
    } else {
        base::put_varint(out, 1 + begin);
        base::put_varint(out, part.size());
    }
}

// Most are one byte.
uint64_t take_short_varint(base::byte_reader& in) {
    const auto rest = in.rest();
    return !rest.empty() && static_cast<uint8_t>(rest.front()) < 0x80 ? in.fixed<uint8_t>() : in.varint();
}

std::string_view take_part(base::byte_reader& in, std::string_view text) {
    const uint64_t begin = take_short_varint(in);
    if (begin == 0) {
        return in.bytes();
    }
    const uint64_t size = take_short_varint(in);
    if (begin - 1 > text.size() || size > text.size() - (begin - 1)) {
        in.set_failed();
        return {};
    }
    return text.substr(begin - 1, size);
}

void put_value(const value& v, std::string_view text, std::string& out) {
    switch (v.type()) {
    case value_type::string: return put_part(v.as_string(), text, out);
    case value_type::binary: return base::put_bytes(out, v.as_binary());
    case value_type::guid: out.append(reinterpret_cast<const char*>(v.as_guid().bytes.data()), v.as_guid().bytes.size()); return;
    case value_type::boolean: out.push_back(v.as_boolean() ? 1 : 0); return;
    case value_type::real: return base::put_fixed(out, std::bit_cast<uint64_t>(v.as_real()));
    case value_type::int32: return base::put_varint(out, base::zigzag(v.as_int32()));
    case value_type::int64: return base::put_varint(out, base::zigzag(v.as_int64()));
    case value_type::datetime: return base::put_varint(out, base::zigzag(v.as_datetime().value));
    }
}

value take_value(base::byte_reader& in, value_type type, std::string_view text) {
    switch (type) {
    case value_type::string: return value::of_string(take_part(in, text));
    case value_type::binary: return value::of_binary(in.bytes());
    case value_type::guid: {
        base::guid g;
        const auto bytes = in.take(g.bytes.size());
        std::ranges::copy(bytes, g.bytes.begin());
        return value::of_guid(g);
    }
    case value_type::boolean: return value::of_boolean(in.fixed<uint8_t>() != 0);
    case value_type::real: return value::of_real(std::bit_cast<double>(in.fixed<uint64_t>()));
    case value_type::int32: return value::of_int32(static_cast<int32_t>(base::unzigzag(in.varint())));
    case value_type::int64: return value::of_int64(base::unzigzag(in.varint()));
    case value_type::datetime: return value::of_datetime({base::unzigzag(in.varint())});
    }
    in.set_failed();
    return value::of_boolean(false);
}

} // namespace

void put_record(const record& r, std::string& out) {
    const size_t before = out.size();
    out.resize_and_overwrite(before + head_bytes_max + r.host.size() + r.app.size() + r.text.size(), [&](char* data, size_t) {
        char* to = data + before;
        *to++ = static_cast<char>(r.level);
        to = write_varint(base::zigzag(r.order.time_ns), to);
        to = write_bytes(r.host, to);
        to = write_bytes(r.app, to);
        to = write_bytes(r.text, to);
        return static_cast<size_t>(to - data);
    });
    put_part(r.message, r.text, out);
    base::put_varint(out, r.fields.size());
    for (const auto& field : r.fields) {
        base::put_bytes(out, field.name);
        out.push_back(static_cast<char>(field.value.type()));
        put_value(field.value, r.text, out);
    }
}

record take_record(base::byte_reader& in, std::vector<base::property>& fields) {
    record r;
    r.level = in.fixed<uint8_t>();
    r.order.time_ns = base::unzigzag(in.varint());
    r.host = in.take(take_short_varint(in));
    r.app = in.take(take_short_varint(in));
    r.text = in.take(take_short_varint(in));
    r.message = take_part(in, r.text);
    const uint64_t fields_count = take_short_varint(in);
    fields.clear();
    if (fields_count > fields_max) {
        in.set_failed();
    }
    for (uint64_t i = 0; i < fields_count && in.ok(); ++i) {
        const auto name = in.bytes();
        const auto type = in.fixed<uint8_t>();
        fields.push_back({name, take_value(in, static_cast<value_type>(type), r.text)});
    }
    r.fields = fields;
    if (in.ok() && !is_within_limits(r)) {
        in.set_failed();
    }
    return r;
}

size_t side_bytes(const record& r) {
    size_t sum = r.host.size() + r.app.size() + (is_part_of(r.message, r.text) ? 0 : r.message.size());
    for (const auto& field : r.fields) {
        sum += field.name.size();
        if (field.value.type() == value_type::string) {
            sum += field.value.as_string().size();
        } else if (field.value.type() == value_type::binary) {
            sum += field.value.as_binary().size();
        }
    }
    return sum;
}

bool is_within_limits(const record& r) {
    return r.level <= level_none && r.text.size() <= text_bytes_max && r.fields.size() <= fields_max &&
           side_bytes(r) <= record_side_bytes_max &&
           std::ranges::all_of(r.fields, [](const auto& field) { return field.name.size() <= field_name_bytes_max; });
}

} // namespace blobs
