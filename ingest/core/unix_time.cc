#include "ingest/core/unix_time.hh"

#include <charconv>
#include <cmath>

#include "base/ticks.hh"
#include "ingest/core/number.hh"
#include "query/core/time_text.hh"

namespace ingest {
namespace {

constexpr int64_t second_ns = 1'000'000'000;
constexpr size_t fraction_digits_max = 9;

int64_t unit_ns(size_t digits_count) {
    if (digits_count <= 11) {
        return second_ns;
    }
    if (digits_count <= 14) {
        return 1'000'000;
    }
    return digits_count <= 17 ? 1'000 : 1;
}

// whole units and billionths of a unit.
std::expected<int64_t, line_fault> scaled(int64_t whole, int64_t billionths, int64_t unit) {
    int64_t ns = 0;
    if (__builtin_mul_overflow(whole, unit, &ns) || __builtin_add_overflow(ns, billionths * unit / second_ns, &ns)) {
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

std::expected<int64_t, line_fault> parse_time_text(std::string_view text) {
    if (text.find_first_not_of("-.0123456789") == text.npos && text.find('-', 1) == text.npos) {
        return unix_time_ns(text);
    }
    // The first digit keeps the words and relative times out that requests may have.
    if (text.empty() || text.front() < '0' || text.front() > '9') {
        return std::unexpected(line_fault::invalid_time);
    }
    if (const auto ns = query::parse_time_ns(text, 0)) {
        return *ns;
    }
    return std::unexpected(base::parse_time(text) ? line_fault::time_out_of_range : line_fault::invalid_time);
}

} // namespace ingest
