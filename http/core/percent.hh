// Percent-encoding of URL parts. Decode a part once, after splitting: a decoded '/' or '&' separates nothing.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hh"

namespace http {

// Every '%' must be followed by two hexadecimal digits, else invalid_argument. The result may hold any byte, NUL too.
base::expected<std::string> percent_decode(std::string_view);
// The same, and '+' is a space: how query strings and forms are written.
base::expected<std::string> form_decode(std::string_view);

// Everything but letters, digits and -._~ becomes %XX.
std::string percent_encode(std::string_view);

} // namespace http
