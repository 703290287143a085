// Lower-case hex digits as bytes, two in one, and the dashes of a uuid left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace blobs {

constexpr uint8_t hex_value(char digit) {
    return static_cast<uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// Needs: an even number of digits.
inline void pack_hex(std::string_view digits, std::string& out) {
    for (size_t i = 0; i < digits.size(); i += 2) {
        out.push_back(static_cast<char>(hex_value(digits[i]) << 4 | hex_value(digits[i + 1])));
    }
}

inline void pack_uuid(std::string_view text, std::string& out) {
    pack_hex(text.substr(0, 8), out);
    pack_hex(text.substr(9, 4), out);
    pack_hex(text.substr(14, 4), out);
    pack_hex(text.substr(19, 4), out);
    pack_hex(text.substr(24, 12), out);
}

// Writes two digits for each byte, and says where it ended.
inline char* write_hex(std::string_view packed, char* to) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const char c : packed) {
        *to++ = digits[static_cast<uint8_t>(c) >> 4];
        *to++ = digits[static_cast<uint8_t>(c) & 15];
    }
    return to;
}

inline char* write_uuid(std::string_view packed, char* to) {
    to = write_hex(packed.substr(0, 4), to);
    for (size_t at = 4; at < 10; at += 2) {
        *to++ = '-';
        to = write_hex(packed.substr(at, 2), to);
    }
    *to++ = '-';
    return write_hex(packed.substr(10, 6), to);
}

} // namespace blobs
