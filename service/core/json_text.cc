#include "service/core/json_text.hh"

#include <algorithm>
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

std::optional<char32_t> take_hex4(std::string_view& text) {
    constexpr size_t width = 4;
    uint32_t value = 0;
    if (text.size() < width || std::from_chars(text.data(), text.data() + width, value, 16).ptr != text.data() + width) {
        return std::nullopt;
    }
    text.remove_prefix(width);
    return value;
}

// What follows "\u": one character, of one escape or of a pair of surrogates.
std::optional<char32_t> take_unicode_escape(std::string_view& text) {
    const auto unit = take_hex4(text);
    if (!unit || *unit < 0xd800 || *unit > 0xdfff) {
        return unit;
    }
    if (*unit > 0xdbff || !text.starts_with("\\u")) {
        return std::nullopt;
    }
    text.remove_prefix(2);
    const auto low = take_hex4(text);
    if (!low || *low < 0xdc00 || *low > 0xdfff) {
        return std::nullopt;
    }
    return 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00);
}

char* put_utf8(char* out, char32_t c) {
    if (c < 0x80) {
        *out++ = static_cast<char>(c);
    } else if (c < 0x800) {
        *out++ = static_cast<char>(0xc0 | c >> 6);
        *out++ = static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = static_cast<char>(0xe0 | c >> 12);
        *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3f));
        *out++ = static_cast<char>(0x80 | (c & 0x3f));
    } else {
        *out++ = static_cast<char>(0xf0 | c >> 18);
        *out++ = static_cast<char>(0x80 | (c >> 12 & 0x3f));
        *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3f));
        *out++ = static_cast<char>(0x80 | (c & 0x3f));
    }
    return out;
}

// The character behind a backslash.
std::optional<char32_t> take_escape(std::string_view& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const char c = text.front();
    text.remove_prefix(1);
    switch (c) {
    case '"':
    case '\\':
    case '/': return static_cast<char32_t>(c);
    case 'b': return U'\b';
    case 'f': return U'\f';
    case 'n': return U'\n';
    case 'r': return U'\r';
    case 't': return U'\t';
    case 'u': return take_unicode_escape(text);
    default: return std::nullopt;
    }
}

size_t skip_digits(std::string_view& text) {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
}

bool skip_any(std::string_view& text, std::string_view characters) {
    if (text.empty() || !characters.contains(text.front())) {
        return false;
    }
    text.remove_prefix(1);
    return true;
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

std::optional<size_t> unescape_json(std::string_view raw, char* out) {
    char* at = out;
    for (;;) {
        const size_t plain = std::min(raw.find('\\'), raw.size());
        std::memmove(at, raw.data(), plain);
        at += plain;
        raw.remove_prefix(plain);
        if (raw.empty()) {
            return static_cast<size_t>(at - out);
        }
        raw.remove_prefix(1);
        // The shortest escape of a character is as long as its UTF-8 or longer, so `at` never passes what is still unread.
        const auto c = take_escape(raw);
        if (!c) {
            return std::nullopt;
        }
        at = put_utf8(at, *c);
    }
}

json_number classify_json_number(std::string_view token) {
    skip_any(token, "-");
    const bool has_leading_zero = token.starts_with('0');
    const size_t digits = skip_digits(token);
    if (digits == 0 || (has_leading_zero && digits > 1)) {
        return json_number::none;
    }
    if (token.empty()) {
        return json_number::integer;
    }
    if (skip_any(token, ".") && skip_digits(token) == 0) {
        return json_number::none;
    }
    if (skip_any(token, "eE")) {
        skip_any(token, "+-");
        if (skip_digits(token) == 0) {
            return json_number::none;
        }
    }
    return token.empty() ? json_number::real : json_number::none;
}

} // namespace service
