#include "tables/core/segment/segment_schema.hh"

#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

bool is_type(uint8_t type) {
    return fixed_width(static_cast<value_type>(type)) != 0;
}

} // namespace

std::string segment_schema::key_of(std::string_view name, value_type type) {
    std::string key(name);
    key.push_back(static_cast<char>(type));
    return key;
}

std::optional<column_id> segment_schema::find(std::string_view name, value_type type) const {
    const auto at = _ids.find(key_of(name, type));
    return at == _ids.end() ? std::nullopt : std::optional(at->second);
}

column_id segment_schema::find_or_add(const column& c) {
    const auto [at, is_new] = _ids.try_emplace(key_of(c.name, c.type), static_cast<column_id>(_columns.size()));
    if (is_new) {
        _columns.push_back(c);
    }
    return at->second;
}

void segment_schema::encode(std::string& out) const {
    base::put_varint(out, _columns.size());
    for (const auto& c : _columns) {
        base::put_bytes(out, c.name);
        out.push_back(static_cast<char>(c.type));
    }
}

segment_schema segment_schema::take(base::byte_reader& in) {
    segment_schema schema;
    const uint64_t count = in.varint();
    if (count > segment_layout::segment_columns_max) {
        in.set_failed();
    }
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
        const auto name = in.bytes();
        const auto type = in.fixed<uint8_t>();
        if (!in.ok() || !is_type(type) || schema.find_or_add({std::string(name), static_cast<value_type>(type)}) != i) {
            in.set_failed(); // not a type, or a column twice
        }
    }
    return schema;
}

} // namespace tables
