#include "tables/core/unicode.hh"

#include <bit>
#include <cstdint>
#include <cstring>

namespace tables {
namespace {

constexpr uint64_t every_high_bit = 0x8080808080808080;

uint64_t load8(const char* from) {
    uint64_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
}

size_t ascii_prefix(std::string_view text) {
    size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        if (const uint64_t high = load8(text.data() + at) & every_high_bit; high != 0) {
            return at + static_cast<size_t>(std::countr_zero(high)) / 8;
        }
    }
    while (at < text.size() && static_cast<uint8_t>(text[at]) < 0x80) {
        ++at;
    }
    return at;
}

// How the first byte of a character of two to four bytes begins it: its length and its own bits. Length 0: it cannot.
struct lead {
    unsigned length;
    char32_t bits;
};

lead lead_of(uint8_t byte) {
    if (byte >= 0xc2 && byte < 0xe0) {
        return {2, byte & 0x1fu};
    }
    if (byte >= 0xe0 && byte < 0xf0) {
        return {3, byte & 0x0fu};
    }
    if (byte >= 0xf0 && byte < 0xf5) {
        return {4, byte & 0x07u};
    }
    return {0, 0};
}

bool is_shortest_form(char32_t c, unsigned length) {
    return length == 2 || (length == 3 && c >= 0x800) || (length == 4 && c >= 0x10000);
}

} // namespace

std::optional<char32_t> take_character(std::string_view& text) {
    const auto first = static_cast<uint8_t>(text.front());
    if (first < 0x80) {
        text.remove_prefix(1);
        return first;
    }
    const auto [length, bits] = lead_of(first);
    if (length == 0 || text.size() < length) {
        return std::nullopt;
    }
    char32_t c = bits;
    for (unsigned i = 1; i < length; ++i) {
        const auto next = static_cast<uint8_t>(text[i]);
        if ((next & 0xc0) != 0x80) {
            return std::nullopt;
        }
        c = c << 6 | (next & 0x3f);
    }
    const bool is_surrogate = c >= 0xd800 && c < 0xe000;
    if (is_surrogate || c > 0x10ffff || !is_shortest_form(c, length)) {
        return std::nullopt;
    }
    text.remove_prefix(length);
    return c;
}

bool is_utf8(std::string_view text) {
    for (;;) {
        text.remove_prefix(ascii_prefix(text));
        if (text.empty()) {
            return true;
        }
        if (!take_character(text)) {
            return false;
        }
    }
}

// One unit for each byte that begins a character and a second one for those of four bytes, the supplementary ones.
size_t utf16_length(std::string_view utf8) {
    size_t units = 0;
    size_t at = 0;
    for (; at + 8 <= utf8.size(); at += 8) {
        const uint64_t word = load8(utf8.data() + at);
        const uint64_t high = word & every_high_bit;
        if (high == 0) {
            units += 8;
            continue;
        }
        const uint64_t continuation = high & ~(word << 1);                    // 10xxxxxx
        const uint64_t four = high & (word << 1) & (word << 2) & (word << 3); // 1111xxxx
        units += 8 - static_cast<size_t>(std::popcount(continuation)) + static_cast<size_t>(std::popcount(four));
    }
    for (; at < utf8.size(); ++at) {
        const auto byte = static_cast<uint8_t>(utf8[at]);
        units += (byte & 0xc0) != 0x80 ? 1 : 0;
        units += byte >= 0xf0 ? 1 : 0;
    }
    return units;
}

std::string repaired_utf8(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto before = text;
        if (take_character(text)) {
            out += before.substr(0, before.size() - text.size());
        } else {
            out += "\xef\xbf\xbd";
            text.remove_prefix(1);
        }
    }
    return out;
}

} // namespace tables
