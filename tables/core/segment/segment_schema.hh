// The columns of a segment: each (name, type) that any of its rows has, numbered in the order of first appearance.
//
//   schema    = count varint, *(name bytes, type u8)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/coding.hh"
#include "tables/core/row.hh"

namespace tables {

using column_id = uint32_t; // index into a segment_schema

class segment_schema {
public:
    size_t size() const { return _columns.size(); }
    const column& operator[](column_id id) const { return _columns[id]; }

    std::optional<column_id> find(std::string_view name, value_type) const;
    column_id find_or_add(const column&);

    void encode(std::string& out) const;
    // The reader has failed when the bytes are not a schema.
    static segment_schema take(base::byte_reader&);

private:
    static std::string key_of(std::string_view name, value_type);

    std::vector<column> _columns;
    std::unordered_map<std::string, column_id> _ids; // by key_of
};

} // namespace tables
