// Decimal digits eight at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace base {

inline constexpr std::string_view upper_hex_digits = "0123456789ABCDEF";

// The eight bytes at `at`, as they lie in memory.
inline uint64_t load8(std::string_view text, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    return word;
}

constexpr bool are_digits(uint64_t word) {
    return ((word & 0xf0f0f0f0f0f0f0f0) | (((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333;
}

// Pairs, then fours, then all. Needs: are_digits.
constexpr uint64_t value_of_digits(uint64_t word) {
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

// The number that the first 19 characters are; nothing when they are not all digits. Any 19 digits fit.
inline std::optional<uint64_t> parse_19_digits(std::string_view text) {
    if (text.size() < 19) {
        return std::nullopt;
    }
    const uint64_t head = load8(text, 0);
    const uint64_t middle = load8(text, 8);
    const uint64_t tail = load8(text, 11); // its first five digits are also the last of `middle`
    if (!are_digits(head) || !are_digits(middle) || !are_digits(tail)) {
        return std::nullopt;
    }
    return (value_of_digits(head) * 100'000'000 + value_of_digits(middle)) * 1'000 + value_of_digits(tail) % 1'000;
}

} // namespace base
