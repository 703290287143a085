// Text of a record as an answer shows it: UTF-8, with a replacement character for every byte that is none.
#pragma once

#include <string>
#include <string_view>

namespace query {

// The text itself, or what is made of it in `repaired`.
std::string_view shown_text(std::string_view text, std::string& repaired);

} // namespace query
