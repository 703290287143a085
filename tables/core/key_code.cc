#include "tables/core/key_code.hh"

#include "base/digits.hh"
#include "base/ticks.hh"

namespace tables {
namespace {

constexpr size_t digits_max = base::inverted_digits;
// Keys that begin with a digit are below, those that begin with a greater byte are from here on.
constexpr uint64_t first_text_code = 10'000'000'000'000'000'000u; // 10^19
constexpr size_t text_bytes = 7;
static_assert(first_text_code + (uint64_t{0xff} << 8 * (text_bytes - 1)) > first_text_code);

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
    if (const auto number = base::parse_19_digits(key)) {
        return *number;
    }
    if (key.empty() || static_cast<uint8_t>(key[0]) < '0') {
        return 0;
    }
    return is_digit(key[0]) ? code_of_digits(key) : code_of_text(key);
}

} // namespace tables
