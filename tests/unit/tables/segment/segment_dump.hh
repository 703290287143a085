// All rows of a segment as text, one line each: what golden files are compared with.
#pragma once

#include <string>
#include <string_view>

namespace samples {

std::string dump(std::string_view file);

} // namespace samples
