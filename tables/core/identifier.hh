// Which texts may name a property: C# identifiers.
#pragma once

#include <string_view>

namespace tables {

// First a letter of any script or '_', then letters, decimal digits, combining marks and connectors. False for the empty
// text and for bytes that are not UTF-8.
bool is_identifier(std::string_view utf8);

} // namespace tables
