// One JSON member and the type its annotation names -> a property value: the type rules of the Table service.
#pragma once

#include <optional>
#include <string_view>

#include "service/core/json_members.hh"
#include "service/core/service_error.hh"
#include "tables/core/value.hh"

namespace service {

// `bytes` is the buffer that the member's views point into; a Binary is decoded in place there. Needs: not null.
// Without a type name: strings, booleans, Int32 for integers that fit, else Double.
outcome<tables::value> property_value(const json_member&, std::optional<std::string_view> type_name, char* bytes);

// A key in the body of an insert: a string that keys may be.
outcome<std::string_view> key_value(const json_member&, std::optional<std::string_view> type_name);

} // namespace service
