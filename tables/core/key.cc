#include "tables/core/key.hh"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace tables {
namespace {

// Continuation bytes are 80..BF, so that a byte from EE on is always a lead byte.
constexpr uint8_t first_moved = 0xee;

char collated_byte(char c) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0xf0 && byte <= 0xf4) {
        return static_cast<char>(byte - 2);
    }
    return byte == 0xee || byte == 0xef ? static_cast<char>(byte + 5) : c;
}

char text_byte(char c) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0xee && byte <= 0xf2) {
        return static_cast<char>(byte + 2);
    }
    return byte == 0xf3 || byte == 0xf4 ? static_cast<char>(byte - 5) : c;
}

bool has_moved_bytes(std::string_view key) {
    size_t at = 0;
    for (; at + 8 <= key.size(); at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, key.data() + at, sizeof word);
        if ((word & 0x8080808080808080) != 0) {
            break;
        }
    }
    return std::any_of(key.begin() + static_cast<ptrdiff_t>(at), key.end(),
                       [](char c) { return static_cast<uint8_t>(c) >= first_moved; });
}

std::string mapped(std::string_view key, char (*map)(char)) {
    std::string out(key);
    std::ranges::transform(out, out.begin(), map);
    return out;
}

std::string_view mapped(std::string_view key, std::string& scratch, char (*map)(char)) {
    if (!has_moved_bytes(key)) {
        return key;
    }
    scratch = mapped(key, map);
    return scratch;
}

bool is_forbidden(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == '/' || c == '\\' || c == '#' || c == '?';
}

} // namespace

std::string collate(std::string_view text) {
    return has_moved_bytes(text) ? mapped(text, collated_byte) : std::string(text);
}

std::string uncollate(std::string_view collated) {
    return has_moved_bytes(collated) ? mapped(collated, text_byte) : std::string(collated);
}

std::string_view collate(std::string_view text, std::string& scratch) {
    return mapped(text, scratch, collated_byte);
}

std::string_view uncollate(std::string_view collated, std::string& scratch) {
    return mapped(collated, scratch, text_byte);
}

base::expected<void> check_key(std::string_view text) {
    if (text.size() > key_units_max && utf16_length(text) > key_units_max) {
        return base::fail(base::errc::key_too_long, fmt::format("a key has at most {} UTF-16 units", key_units_max));
    }
    while (!text.empty()) {
        const auto c = take_character(text);
        if (!c) {
            return base::fail(base::errc::key_invalid, "a key must be valid UTF-8");
        }
        if (is_forbidden(*c)) {
            return base::fail(base::errc::key_invalid, fmt::format("a key cannot hold U+{:04X}", static_cast<uint32_t>(*c)));
        }
    }
    return {};
}

row_key_parts split_row_key(std::string_view collated) {
    const auto tick = base::parse_inverted(collated);
    return {tick, tick ? collated.substr(base::inverted_digits) : collated};
}

} // namespace tables
