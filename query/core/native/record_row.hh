// Log records as rows, so that one order, one collector and one transport serve tables and logs. A record's own columns stand
// before its fields, under names no field can have in a row: "!app", "!host", "!level" (Int32), "!message".
#pragma once

#include <string>
#include <string_view>

namespace query {

constexpr char record_mark = '!';

// Of a name in a filter: the record's own column of that name, or else the field.
inline std::string record_property(std::string_view name) {
    const bool is_own = name == "level" || name == "host" || name == "app" || name == "message";
    return is_own ? record_mark + std::string(name) : std::string(name);
}

} // namespace query
