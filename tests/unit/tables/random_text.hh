// Random UTF-8 for property tests, weighted towards the places where UTF-8 and UTF-16 order differ.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace tables_test {

inline void put_utf8(std::string& out, char32_t c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0 | c >> 6);
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xe0 | c >> 12);
        out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    } else {
        out += static_cast<char>(0xf0 | c >> 18);
        out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
        out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (c & 0x3f));
    }
}

inline char32_t random_character(std::mt19937_64& random) {
    static constexpr char32_t edges[][2] = {{'0', 'f'},         {0x00, 0x7f},       {0x80, 0x7ff},       {0x800, 0xd7ff},
                                            {0xd700, 0xd7ff},   {0xe000, 0xe0ff},   {0xff00, 0xffff},    {0x10000, 0x100ff},
                                            {0x1f600, 0x1f64f}, {0x40000, 0x400ff}, {0x10ff00, 0x10ffff}};
    const auto& [first, last] = edges[random() % std::size(edges)];
    return first + static_cast<char32_t>(random() % (last - first + 1));
}

inline std::vector<char32_t> random_characters(std::mt19937_64& random, size_t length_max) {
    std::vector<char32_t> text(random() % (length_max + 1));
    for (auto& c : text) {
        c = random_character(random);
    }
    return text;
}

inline std::string utf8_of(const std::vector<char32_t>& text) {
    std::string out;
    for (auto c : text) {
        put_utf8(out, c);
    }
    return out;
}

inline std::u16string utf16_of(const std::vector<char32_t>& text) {
    std::u16string out;
    for (auto c : text) {
        if (c < 0x10000) {
            out += static_cast<char16_t>(c);
        } else {
            out += static_cast<char16_t>(0xd800 + ((c - 0x10000) >> 10));
            out += static_cast<char16_t>(0xdc00 + ((c - 0x10000) & 0x3ff));
        }
    }
    return out;
}

} // namespace tables_test
