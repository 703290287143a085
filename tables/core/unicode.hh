// UTF-8 as the Table model needs it: is it valid, what are its characters, and how long is it in the UTF-16 units that every
// limit of the service counts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tables {

// Takes the next character off the front of a non-empty text. Nothing when the bytes there are not UTF-8 (overlong forms and
// surrogates are not); `text` is then unchanged.
std::optional<char32_t> take_character(std::string_view& text);

bool is_utf8(std::string_view);

// The same text with U+FFFD for each byte that belongs to no character: for JSON, which holds nothing else than UTF-8.
std::string repaired_utf8(std::string_view);

// Units of the same text in UTF-16; never more than its bytes. For bytes that are not UTF-8 it is some number, without harm.
size_t utf16_length(std::string_view utf8);

} // namespace tables
