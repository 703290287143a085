#include "service/core/json_text.hh"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace service {
namespace {

constexpr uint64_t every_byte(uint8_t byte) {
    return 0x0101010101010101ULL * byte;
}

// The high bit of each byte that is zero in `word`; bytes above the first hit may be marked wrongly.
constexpr uint64_t zero_bytes(uint64_t word) {
    return (word - every_byte(0x01)) & ~word & every_byte(0x80);
}

// As zero_bytes(), for the bytes JSON cannot hold as they are: below 0x20, the quote and the backslash.
constexpr uint64_t special_bytes(uint64_t word) {
    const uint64_t controls = (word - every_byte(0x20)) & ~word & every_byte(0x80);
    return controls | zero_bytes(word ^ every_byte('"')) | zero_bytes(word ^ every_byte('\\'));
}

constexpr bool is_special(char c) {
    return static_cast<uint8_t>(c) < 0x20 || c == '"' || c == '\\';
}

// How many bytes from the front need no escape; eight at a time, and the first marked byte of a word is exact.
size_t plain_prefix(std::string_view text) {
    size_t at = 0;
    for (; at + sizeof(uint64_t) <= text.size(); at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, text.data() + at, sizeof word);
        if (const uint64_t found = special_bytes(word)) {
            return at + static_cast<size_t>(std::countr_zero(found)) / 8;
        }
    }
    while (at < text.size() && !is_special(text[at])) {
        ++at;
    }
    return at;
}

void put_escape(text_sink& out, char c) {
    switch (c) {
    case '"': return out.put("\\\"");
    case '\\': return out.put("\\\\");
    case '\b': return out.put("\\b");
    case '\f': return out.put("\\f");
    case '\n': return out.put("\\n");
    case '\r': return out.put("\\r");
    case '\t': return out.put("\\t");
    default: break;
    }
    constexpr std::string_view hex = "0123456789abcdef";
    out.put("\\u00");
    out.put(hex[static_cast<uint8_t>(c) >> 4]);
    out.put(hex[static_cast<uint8_t>(c) & 15]);
}

} // namespace

void put_json_text(text_sink& out, std::string_view utf8) {
    for (;;) {
        const size_t plain = plain_prefix(utf8);
        out.put(utf8.substr(0, plain));
        if (plain == utf8.size()) {
            return;
        }
        put_escape(out, utf8[plain]);
        utf8.remove_prefix(plain + 1);
    }
}

void put_json_real(text_sink& out, double value) {
    assert(std::isfinite(value));
    constexpr size_t shortest_max = 32; // 24 characters is the longest shortest text, and ".0"
    char* const begin = out.room(shortest_max);
    char* end = std::to_chars(begin, begin + shortest_max - 2, value).ptr;
    if (std::string_view(begin, end).find_first_of(".e") == std::string_view::npos) {
        *end++ = '.';
        *end++ = '0';
    }
    out.advance_to(end);
}

} // namespace service
