// The smallest steps of a parser: taking an expected piece off the front of a text.
#pragma once

#include <string_view>

namespace base {

// False, and `text` as it was, when it does not begin with that.
inline bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

inline bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) {
        return false;
    }
    text.remove_prefix(word.size());
    return true;
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Visible ASCII.
constexpr bool is_visible(char c) {
    return c > ' ' && c < 0x7f;
}

} // namespace base
