// Small changes to ASCII text that several readers of headers and URLs make.
#pragma once

#include <string>
#include <string_view>

namespace service {

// Without what `blanks` has at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
    const size_t first = text.find_first_not_of(blanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    }
    return lower;
}

} // namespace service
