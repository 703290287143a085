#include "ingest/core/number.hh"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include <smmintrin.h>

#include "base/take.hh"

namespace ingest {
namespace {

constexpr double powers_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr uint64_t exact_integer_max = uint64_t{1} << 53;
// As many digits as always fit 64 bits.
constexpr std::ptrdiff_t digits_max = 19;
constexpr size_t short_decimal_bytes = 16;

// All eight bytes at `text` are digits.
bool are_eight_digits(uint64_t text) {
    return ((text & (text + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0) == 0x3030303030303030;
}

// Joins neighbours to pairs, pairs to fours, fours to the whole.
uint32_t eight_digits(uint64_t text) {
    text = (text & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
    text = (text & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    return static_cast<uint32_t>((text & 0x0000ffff0000ffff) * 42949672960001 >> 32);
}

// Reads at most 19 digits off the front of [at, end).
uint64_t take_digits(const char*& at, const char* end) {
    uint64_t value = 0;
    const char* limit = end - at > digits_max ? at + digits_max : end;
    while (limit - at >= 8) {
        uint64_t text;
        std::memcpy(&text, at, 8);
        if (!are_eight_digits(text)) {
            break;
        }
        value = value * 100'000'000 + eight_digits(text);
        at += 8;
    }
    for (; at != limit && base::is_digit(*at); ++at) {
        value = value * 10 + static_cast<uint64_t>(*at - '0');
    }
    return value;
}

// Sixteen digits (as numbers 0..9, the first one the highest) to one integer: pairs, fours, eights, all.
uint64_t join_digits(__m128i digits) {
    const __m128i pairs = _mm_maddubs_epi16(digits, _mm_setr_epi8(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_setr_epi16(100, 1, 100, 1, 100, 1, 100, 1));
    const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1));
    const auto both = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
    return (both & 0xffffffff) * 100'000'000 + (both >> 32);
}

// digits [. digits], 1 to 16 bytes, without a branch that depends on the digits. Reads 16 bytes, whatever their count.
// Exact: the digits read as one integer (at most 2^53, else false) and the power of ten to divide it by are both doubles, so
// the division rounds once. False also when it is something else.
bool read_short_decimal(const char* bytes, size_t size, double& value) {
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const auto inside = (1u << size) - 1;
    const auto points = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('.')))) & inside;
    const __m128i numbers = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(numbers, _mm_set1_epi8(9)), numbers);
    const auto digits = static_cast<uint32_t>(_mm_movemask_epi8(are_digits)) & inside;
    if ((digits | points) != inside || (points & (points - 1)) != 0 || digits == 0) {
        return false;
    }
    // Without a point, one is imagined behind the last digit, and nothing moves over it.
    const int has_point = points != 0 ? 1 : 0;
    const int fraction = static_cast<int>(size) - std::countr_zero(points | (1u << size)) - has_point;
    // All to the right end, and what is before the point one place further, over it.
    const __m128i shift = _mm_set1_epi8(static_cast<char>(short_decimal_bytes - size));
    const __m128i places_before_point = _mm_set1_epi8(static_cast<char>((16 - fraction) * has_point));
    const __m128i from = _mm_add_epi8(_mm_sub_epi8(places, shift), _mm_cmpgt_epi8(places_before_point, places));
    const uint64_t mantissa = join_digits(_mm_shuffle_epi8(numbers, from));
    value = static_cast<double>(mantissa) / powers_of_ten[fraction];
    return mantissa <= exact_integer_max;
}

// Of a number in the right form that no double is near: whether it is beyond the largest (or else below the smallest). True
// when the first digit that is not 0 stands for 1 or more, exponent included.
bool is_too_large(std::string_view text) {
    const size_t mantissa_end = std::min(text.find_first_of("eE"), text.size());
    const auto mantissa = text.substr(0, mantissa_end);
    const size_t first = mantissa.find_first_of("123456789");
    if (first == mantissa.npos) {
        return false;
    }
    const size_t point = std::min(mantissa.find('.'), mantissa.size());
    const auto magnitude = static_cast<int64_t>(point) - static_cast<int64_t>(first);
    int64_t exponent = 0;
    if (mantissa_end < text.size()) {
        auto digits = text.substr(mantissa_end + 1);
        const bool is_negative = digits.front() == '-';
        if (is_negative || digits.front() == '+') {
            digits.remove_prefix(1);
        }
        if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc{}) {
            return !is_negative;
        }
        exponent = is_negative ? -exponent : exponent;
    }
    return exponent + magnitude > 0;
}

// Anything the short way does not take.
std::expected<double, line_fault> parse_any_real(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    const size_t first = is_negative ? 1 : 0;
    // from_chars would also read "inf" and "nan".
    if (first == text.size() || !(base::is_digit(text[first]) || text[first] == '.')) {
        return std::unexpected(line_fault::invalid_value);
    }
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || rest != text.data() + text.size()) {
        return std::unexpected(line_fault::invalid_value);
    }
    if (error == std::errc::result_out_of_range) {
        if (is_too_large(text)) {
            return std::unexpected(line_fault::value_out_of_range);
        }
        value = is_negative ? -0.0 : 0.0;
    }
    return value;
}

// All of [at, end) as digits.
std::expected<uint64_t, line_fault> parse_magnitude(const char* at, const char* end) {
    if (at == end) {
        return std::unexpected(line_fault::invalid_value);
    }
    uint64_t value = take_digits(at, end);
    bool is_too_large = false;
    for (; at != end; ++at) {
        if (!base::is_digit(*at)) {
            return std::unexpected(line_fault::invalid_value);
        }
        is_too_large |= __builtin_mul_overflow(value, uint64_t{10}, &value);
        is_too_large |= __builtin_add_overflow(value, static_cast<uint64_t>(*at - '0'), &value);
    }
    if (is_too_large) {
        return std::unexpected(line_fault::value_out_of_range);
    }
    return value;
}

} // namespace

std::expected<double, line_fault> parse_real(std::string_view text, size_t readable_behind) {
    const size_t sign = text.starts_with('-') ? 1 : 0;
    const auto magnitude = text.substr(sign);
    if (magnitude.size() - 1 >= short_decimal_bytes) {
        return parse_any_real(text); // empty, or long
    }
    alignas(16) char padded[short_decimal_bytes] = {};
    const char* bytes = magnitude.data();
    if (magnitude.size() + readable_behind < sizeof padded) {
        std::memcpy(padded, bytes, magnitude.size());
        bytes = padded;
    }
    double value;
    if (!read_short_decimal(bytes, magnitude.size(), value)) {
        return parse_any_real(text);
    }
    return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | uint64_t{sign} << 63);
}

std::expected<int64_t, line_fault> parse_int64(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    auto magnitude = parse_magnitude(text.data() + (is_negative ? 1 : 0), text.data() + text.size());
    if (!magnitude) {
        return std::unexpected(magnitude.error());
    }
    constexpr auto max = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (*magnitude > max + (is_negative ? 1 : 0)) {
        return std::unexpected(line_fault::value_out_of_range);
    }
    return static_cast<int64_t>(is_negative ? 0 - *magnitude : *magnitude);
}

std::expected<int64_t, line_fault> parse_unsigned(std::string_view text) {
    auto magnitude = parse_magnitude(text.data(), text.data() + text.size());
    if (!magnitude) {
        return std::unexpected(magnitude.error());
    }
    if (*magnitude > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return std::unexpected(line_fault::unsigned_out_of_range);
    }
    return static_cast<int64_t>(*magnitude);
}

} // namespace ingest
