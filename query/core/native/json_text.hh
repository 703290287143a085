// JSON of values, appended to a string.
#pragma once

#include <string>
#include <string_view>

#include "tables/core/value.hh"

namespace query {

// With its quotes. Only what JSON asks for is escaped; UTF-8 goes out as it is.
void append_json_string(std::string_view utf8, std::string& out);
// The same of any bytes, such as a name out of a URL: those that are no UTF-8 are U+FFFD.
std::string json_string(std::string_view bytes);

// Numbers as numbers (all digits of an Int64), times in RFC 3339, binary in base64. A number that JSON cannot write (NaN, an
// infinity) is null.
void append_json_value(const tables::value&, std::string& out);

// The same without quotes, as CSV has it; nothing for what JSON calls null.
void append_plain_value(const tables::value&, std::string& out);

} // namespace query
