#include "tables/core/family/property_name.hh"

#include <optional>

#include "base/digits.hh"
#include "base/take.hh"
#include "tables/core/identifier.hh"
#include "tables/core/limits.hh"
#include "tables/core/unicode.hh"

namespace tables {
namespace {

constexpr size_t short_digits = 4;
constexpr size_t long_digits = 8;
constexpr char32_t character_max = 0x10ffff;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_reserved(std::string_view name) {
    return name == "PartitionKey" || name == "RowKey" || name == "Timestamp";
}

// `text` begins with so many hex digits.
bool has_hex(std::string_view text, size_t digits) {
    return text.size() >= digits && text.find_first_not_of(base::upper_hex_digits) >= digits;
}

// An underscore here, left as it is, could be read as the beginning of an escape. The closing underscore does not count: it may
// come from the escape of the next character.
bool looks_like_escape(std::string_view text) {
    return text.starts_with("_x") && has_hex(text.substr(2), short_digits);
}

void append_escape(char32_t c, std::string& out) {
    out += "_x";
    for (size_t digit = c > 0xffff ? long_digits : short_digits; digit-- > 0;) {
        out += base::upper_hex_digits[c >> (4 * digit) & 15];
    }
    out += '_';
}

void append_utf8(char32_t c, std::string& out) {
    if (c < 0x80) {
        out += static_cast<char>(c);
        return;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(leads[more] | c >> (6 * more));
    for (int i = more; i-- > 0;) {
        out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
    }
}

// The character of an escape at the front, which is taken off. What is none is left.
std::optional<char32_t> take_escape(std::string_view& text) {
    if (!text.starts_with("_x")) {
        return std::nullopt;
    }
    for (size_t digits : {short_digits, long_digits}) {
        const auto code = text.substr(2, digits);
        if (!has_hex(code, digits) || !text.substr(2 + digits).starts_with('_')) {
            continue;
        }
        char32_t c = 0;
        for (char digit : code) {
            c = c << 4 | static_cast<char32_t>(base::upper_hex_digits.find(digit));
        }
        if (c > character_max || (c >= 0xd800 && c < 0xe000)) {
            return std::nullopt;
        }
        text.remove_prefix(digits + 3);
        return c;
    }
    return std::nullopt;
}

// The character may stand there: as the first, or behind another one.
bool is_allowed(std::string_view character, bool is_first) {
    return is_identifier(is_first ? std::string(character) : "_" + std::string(character));
}

} // namespace

bool is_plain_property_name(std::string_view field) {
    if (field.empty() || field.size() > property_name_units_max || base::is_digit(field.front()) || is_reserved(field)) {
        return false;
    }
    for (size_t i = 0; i < field.size(); ++i) {
        if (!is_letter(field[i]) && !base::is_digit(field[i]) && (field[i] != '_' || looks_like_escape(field.substr(i)))) {
            return false;
        }
    }
    return true;
}

bool append_property_name(std::string_view field, std::string& out) {
    if (is_plain_property_name(field)) {
        out += field;
        return true;
    }
    const size_t before = out.size();
    const bool is_system_name = is_reserved(field);
    for (bool is_first = true; !field.empty(); is_first = false) {
        const auto at = field;
        const auto c = take_character(field);
        if (!c) {
            out.resize(before);
            return false;
        }
        const auto bytes = at.substr(0, at.size() - field.size());
        const bool stays = is_allowed(bytes, is_first) && !looks_like_escape(at) && !(is_first && is_system_name);
        if (stays) {
            out += bytes;
        } else {
            append_escape(*c, out);
        }
    }
    if (utf16_length(std::string_view(out).substr(before)) > property_name_units_max) {
        out.resize(before);
        return false;
    }
    return true;
}

void append_field_name(std::string_view property, std::string& out) {
    while (!property.empty()) {
        if (const auto c = take_escape(property)) {
            append_utf8(*c, out);
        } else {
            out += property.front();
            property.remove_prefix(1);
        }
    }
}

} // namespace tables
