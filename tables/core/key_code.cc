#include "tables/core/key_code.hh"

#include <cstring>

#include "base/ticks.hh"

namespace tables {
namespace {

constexpr size_t digits_max = base::inverted_digits;
// Keys that begin with a digit are below, those that begin with a greater byte are from here on.
constexpr uint64_t first_text_code = 10'000'000'000'000'000'000u; // 10^19
constexpr size_t text_bytes = 7;
static_assert(first_text_code + (uint64_t{0xff} << 8 * (text_bytes - 1)) > first_text_code);

uint64_t load8(std::string_view key, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, key.data() + at, sizeof word);
    return word;
}

bool are_digits(uint64_t word) {
    return ((word & 0xf0f0f0f0f0f0f0f0) | (((word + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333;
}

// Eight digits at once: pairs, then fours, then all.
uint64_t value_of_digits(uint64_t word) {
    word = (word & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The digits there are, then what sorts like the byte after them: zeros for the end of the key or a byte below the digits, nines
// for one above.
uint64_t code_of_digits(std::string_view key) {
    uint64_t code = 0;
    size_t i = 0;
    for (; i < digits_max && i < key.size() && is_digit(key[i]); ++i) {
        code = code * 10 + static_cast<uint64_t>(key[i] - '0');
    }
    const uint64_t filler = i < key.size() && static_cast<uint8_t>(key[i]) > '9' ? 9 : 0;
    for (; i < digits_max; ++i) {
        code = code * 10 + filler;
    }
    return code;
}

uint64_t code_of_text(std::string_view key) {
    uint64_t code = 0;
    for (size_t i = 0; i < text_bytes; ++i) {
        code = code << 8 | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0u);
    }
    return first_text_code + code;
}

} // namespace

uint64_t key_code(std::string_view key) {
    if (key.size() >= digits_max) {
        const uint64_t head = load8(key, 0);
        const uint64_t middle = load8(key, 8);
        const uint64_t tail = load8(key, digits_max - 8); // its first five digits are also the last of `middle`
        if (are_digits(head) && are_digits(middle) && are_digits(tail)) {
            return (value_of_digits(head) * 100'000'000 + value_of_digits(middle)) * 1'000 + value_of_digits(tail) % 1'000;
        }
    }
    if (key.empty() || static_cast<uint8_t>(key[0]) < '0') {
        return 0;
    }
    return is_digit(key[0]) ? code_of_digits(key) : code_of_text(key);
}

} // namespace tables
