#include "ingest/core/number.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include <smmintrin.h>

#include "base/take.hh"

namespace ingest {
namespace {

using uint128 = unsigned __int128;

// All exact: 5^19 is below 2^53.
constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
constexpr uint64_t exact_integer_max = uint64_t{1} << 53;
// As many digits as always fit 64 bits.
constexpr std::ptrdiff_t digits_max = 19;
constexpr size_t short_decimal_bytes = 16;
// As many digits, and the point.
constexpr size_t long_decimal_bytes = 20;
static_assert(plain_number_bytes >= 1 + long_decimal_bytes + 1); // the sign, and one behind it

constexpr auto integer_powers_of_ten = [] {
    std::array<uint64_t, digits_max + 1> powers{1};
    for (size_t i = 1; i < powers.size(); ++i) {
        powers[i] = powers[i - 1] * 10;
    }
    return powers;
}();

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

// mantissa / 10^places, rounded once. Up to 2^53 both are doubles, and so the division rounds correctly. Above, the quotient is
// worked out to 63 bits or more, and whether something is left: that decides a tie as the lowest bit.
double quotient(uint64_t mantissa, size_t places) {
    if (mantissa <= exact_integer_max) {
        return static_cast<double>(mantissa) / powers_of_ten[places];
    }
    const int shift = std::countl_zero(mantissa);
    const int power_shift = std::countl_zero(integer_powers_of_ten[places]);
    const uint64_t divisor = integer_powers_of_ten[places] << power_shift;
    const uint128 dividend = static_cast<uint128>(mantissa << shift) << 63;
    const auto whole = static_cast<uint64_t>(dividend / divisor); // less than 2^64, since the divisor is 2^63 or more
    const uint64_t rest = static_cast<uint128>(whole) * divisor != dividend ? 1 : 0;
    const double power_of_two = std::bit_cast<double>(static_cast<uint64_t>(1023 - 63 - shift + power_shift) << 52);
    return static_cast<double>(whole | rest) * power_of_two;
}

double with_sign(double magnitude, size_t sign) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) | uint64_t{sign} << 63);
}

__m128i load(const void* bytes) {
    return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
}

// Sixteen of them from the n-th on: where each digit comes from when the first n go to the right end; below 0 are zeros.
constexpr auto places_from_the_right = [] {
    std::array<int8_t, 2 * short_decimal_bytes> places{};
    for (size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<int8_t>(static_cast<int>(i) - static_cast<int>(short_decimal_bytes));
    }
    return places;
}();
// Sixteen of them from the n-th on: -1 for all but the last n.
constexpr auto before_point = [] {
    std::array<int8_t, 2 * short_decimal_bytes> places{};
    std::fill_n(places.begin(), short_decimal_bytes, int8_t{-1});
    return places;
}();

// What sixteen bytes are.
struct digits_and_points {
    __m128i numbers; // of the digits; elsewhere anything
    uint32_t digits; // a bit for each
    uint32_t points;

    explicit digits_and_points(const char* bytes) {
        const __m128i text = load(bytes);
        numbers = _mm_sub_epi8(text, _mm_set1_epi8('0'));
        const __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(numbers, _mm_set1_epi8(9)), numbers);
        digits = static_cast<uint32_t>(_mm_movemask_epi8(are_digits));
        points = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('.'))));
    }
};

struct decimal {
    uint64_t mantissa = 0; // the digits read as one integer
    size_t places = 0;     // of them behind the point
};

// digits [. digits], 1 to 16 bytes, without a branch that depends on the digits. False when it is something else.
[[gnu::always_inline]] inline bool read_short_decimal(const digits_and_points& text, size_t size, decimal& out) {
    const auto inside = (1u << size) - 1;
    const auto points = text.points & inside;
    const auto digits = text.digits & inside;
    if ((digits | points) != inside || (points & (points - 1)) != 0 || digits == 0) {
        return false;
    }
    // Without a point, one is imagined behind the last digit, and nothing moves over it.
    const int has_point = points != 0 ? 1 : 0;
    const int fraction = static_cast<int>(size) - std::countr_zero(points | (1u << size)) - has_point;
    // All to the right end, and what is before the point one place further, over it.
    const __m128i from = _mm_add_epi8(load(&places_from_the_right[size]), load(&before_point[has_point != 0 ? fraction : 16]));
    out = {join_digits(_mm_shuffle_epi8(text.numbers, from)), static_cast<size_t>(fraction)};
    return true;
}

// digits . digits, 9 to 20 bytes. False when it is something else.
bool read_long_decimal(std::string_view text, decimal& out) {
    const char* at = text.data();
    const char* const end = at + text.size();
    uint64_t mantissa = 0;
    for (; at != end && base::is_digit(*at); ++at) {
        mantissa = mantissa * 10 + static_cast<uint64_t>(*at - '0');
    }
    if (at == end || *at++ != '.') {
        return false;
    }
    const auto places = static_cast<size_t>(end - at);
    uint64_t eight;
    for (; end - at >= 8; at += 8) {
        std::memcpy(&eight, at, 8);
        if (!are_eight_digits(eight)) {
            return false;
        }
        mantissa = mantissa * 100'000'000 + eight_digits(eight);
    }
    if (const auto left = static_cast<size_t>(end - at); left > 0) {
        // The last eight bytes of all, with zeros for those that were read.
        std::memcpy(&eight, end - 8, 8);
        const uint64_t unread = ~uint64_t{0} << 8 * (8 - left);
        eight = (eight & unread) | (0x3030303030303030 & ~unread);
        if (!are_eight_digits(eight)) {
            return false;
        }
        mantissa = mantissa * integer_powers_of_ten[left] + eight_digits(eight);
    }
    out = {mantissa, places};
    return true;
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
    decimal d;
    if (magnitude.empty() || magnitude.size() > long_decimal_bytes) {
        return parse_any_real(text);
    }
    if (magnitude.size() > short_decimal_bytes) {
        return read_long_decimal(magnitude, d) ? with_sign(quotient(d.mantissa, d.places), sign) : parse_any_real(text);
    }
    alignas(16) char padded[short_decimal_bytes] = {};
    const char* bytes = magnitude.data();
    if (magnitude.size() + readable_behind < sizeof padded) {
        std::memcpy(padded, bytes, magnitude.size());
        bytes = padded;
    }
    if (!read_short_decimal(digits_and_points(bytes), magnitude.size(), d)) {
        return parse_any_real(text);
    }
    return with_sign(quotient(d.mantissa, d.places), sign);
}

size_t take_plain_number(const char* text, base::value& value) {
    const size_t sign = *text == '-' ? 1 : 0;
    const char* const magnitude = text + sign;
    const digits_and_points found(magnitude);
    auto size = static_cast<size_t>(std::countr_one(found.digits | found.points));
    decimal d;
    if (size < short_decimal_bytes) [[likely]] {
        if (!read_short_decimal(found, size, d)) {
            return 0;
        }
        if (magnitude[size] == 'i') {
            const auto integer = static_cast<int64_t>(d.mantissa);
            value = base::value::of_int64(sign != 0 ? -integer : integer);
            return (found.points & ((1u << size) - 1)) == 0 ? sign + size + 1 : 0;
        }
    } else {
        while (size <= long_decimal_bytes && (base::is_digit(magnitude[size]) || magnitude[size] == '.')) {
            ++size;
        }
        if (size > long_decimal_bytes || !read_long_decimal({magnitude, size}, d)) {
            return 0;
        }
    }
    value = base::value::of_real(with_sign(quotient(d.mantissa, d.places), sign));
    return sign + size;
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
