#include "ingest/core/unix_time.hh"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/ticks.hh"
#include "ingest/core/number.hh"

namespace ingest {
namespace {

constexpr int64_t ns_per_tick = 100;
constexpr size_t fraction_digits_max = 9;

int64_t unit_ns(size_t digits_count) {
    if (digits_count <= 11) {
        return base::ns_per_second;
    }
    if (digits_count <= 14) {
        return 1'000'000;
    }
    return digits_count <= 17 ? 1'000 : 1;
}

// The eighth and ninth digit of a fraction, which a tick has no room for.
int64_t ns_below_tick(std::string_view date) {
    const size_t point = date.find('.');
    if (point == date.npos) {
        return 0;
    }
    const auto digits = date.substr(point + 1, date.find_first_not_of("0123456789", point + 1) - point - 1);
    const int64_t tens = digits.size() > 7 ? digits[7] - '0' : 0;
    const int64_t ones = digits.size() > 8 ? digits[8] - '0' : 0;
    return tens * 10 + ones;
}

// whole units and billionths of a unit.
std::expected<int64_t, line_fault> scaled(int64_t whole, int64_t billionths, int64_t unit) {
    int64_t ns = 0;
    if (__builtin_mul_overflow(whole, unit, &ns) || __builtin_add_overflow(ns, billionths * unit / base::ns_per_second, &ns)) {
        return std::unexpected(line_fault::time_out_of_range);
    }
    return ns;
}

} // namespace

std::expected<int64_t, line_fault> unix_time_ns(int64_t number) {
    char text[24];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number);
    const auto digits_count = static_cast<size_t>(end - text) - (number < 0 ? 1 : 0);
    return scaled(number, 0, unit_ns(digits_count));
}

std::expected<int64_t, line_fault> unix_time_ns(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    const size_t point = std::min(text.find('.'), text.size());
    const auto whole = parse_int64(text.substr(0, point));
    if (!whole) {
        return std::unexpected(whole.error() == line_fault::invalid_value ? line_fault::invalid_time
                                                                          : line_fault::time_out_of_range);
    }
    int64_t billionths = 0;
    if (point < text.size()) {
        const auto fraction = text.substr(point + 1);
        if (fraction.empty() || fraction.find_first_not_of("0123456789") != fraction.npos) {
            return std::unexpected(line_fault::invalid_time);
        }
        for (size_t i = 0; i < fraction_digits_max; ++i) {
            billionths = billionths * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
        }
    }
    return scaled(*whole, is_negative ? -billionths : billionths, unit_ns(point - (is_negative ? 1 : 0)));
}

std::expected<int64_t, line_fault> unix_time_ns(double number) {
    // Beyond this no unit helps; and the text stays short.
    if (!(std::abs(number) < 1e19)) {
        return std::unexpected(line_fault::time_out_of_range);
    }
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed);
    // Only a number below 1e-40 or so has a longer text.
    return error == std::errc{} ? unix_time_ns(std::string_view(text, end)) : 0;
}

std::expected<int64_t, line_fault> parse_date_ns(std::string_view text) {
    const auto tick = base::parse_time(text);
    if (!tick) {
        return std::unexpected(line_fault::invalid_time);
    }
    const __int128 ns = static_cast<__int128>(tick->value - base::unix_epoch.value) * ns_per_tick + ns_below_tick(text);
    if (ns < std::numeric_limits<int64_t>::min() || ns > std::numeric_limits<int64_t>::max()) {
        return std::unexpected(line_fault::time_out_of_range);
    }
    return static_cast<int64_t>(ns);
}

std::expected<int64_t, line_fault> parse_time_text(std::string_view text) {
    const bool is_number = text.find_first_not_of("-.0123456789") == text.npos && text.find('-', 1) == text.npos;
    return is_number ? unix_time_ns(text) : parse_date_ns(text);
}

} // namespace ingest
