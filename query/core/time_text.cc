#include "query/core/time_text.hh"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

#include "base/ticks.hh"

namespace query {
namespace {

constexpr int64_t second_ns = 1'000'000'000;

struct unit {
    std::string_view suffix;
    int64_t ns;
};
constexpr unit units[] = {
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", second_ns},
    {"m", 60 * second_ns},
    {"h", 3'600 * second_ns},
    {"d", 86'400 * second_ns},
    {"w", 7 * 86'400 * second_ns},
};

std::optional<int64_t> scaled(int64_t number, int64_t ns_each) {
    int64_t ns = 0;
    return __builtin_mul_overflow(number, ns_each, &ns) ? std::nullopt : std::optional(ns);
}

// Nothing also for what base::unix_ns has saturated.
std::optional<int64_t> added(int64_t ns, int64_t more) {
    using limits = std::numeric_limits<int64_t>;
    const bool saturated = ns == limits::max() || ns == limits::min();
    return saturated || __builtin_add_overflow(ns, more, &ns) ? std::nullopt : std::optional(ns);
}

// Reads a whole number off the front.
std::optional<int64_t> take_number(std::string_view& text) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

std::optional<int64_t> unix_time(int64_t number, size_t digits_count) {
    if (digits_count <= 11) {
        return scaled(number, second_ns);
    }
    if (digits_count <= 14) {
        return scaled(number, 1'000'000);
    }
    return digits_count <= 17 ? scaled(number, 1'000) : std::optional(number);
}

std::optional<int64_t> span_of(int64_t number, std::string_view suffix) {
    for (const auto& unit : units) {
        if (unit.suffix == suffix) {
            return scaled(number, unit.ns);
        }
    }
    return std::nullopt;
}

std::optional<int64_t> relative_time(int64_t number, std::string_view suffix, int64_t now_ns) {
    const auto span = span_of(number, suffix);
    return span ? added(now_ns, *span) : std::nullopt;
}

// The eighth and ninth digit of a fraction, which a tick has no room for.
int64_t ns_below_tick(std::string_view text) {
    constexpr size_t tick_digits = 7;
    auto fraction = text.substr(std::min(text.find('.'), text.size()));
    fraction.remove_prefix(std::min<size_t>(fraction.size(), 1));
    fraction = fraction.substr(0, fraction.find_first_not_of("0123456789")); // behind it there may be an offset
    int64_t ns = 0;
    for (size_t i = tick_digits; i < tick_digits + 2; ++i) {
        ns = ns * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
    }
    return ns;
}

} // namespace

std::optional<int64_t> parse_time_ns(std::string_view text, int64_t now_ns) {
    if (text == "now") {
        return now_ns;
    }
    if (const auto tick = base::parse_time(text)) {
        return added(base::unix_ns(*tick), ns_below_tick(text));
    }
    auto rest = text;
    const auto number = take_number(rest);
    if (!number) {
        return std::nullopt;
    }
    // A number below zero is taken for a span whose unit was forgotten: as a time it would be one before 1970, and -15 almost all
    // of what there is.
    if (text.starts_with('-')) {
        return relative_time(*number, rest, now_ns);
    }
    return rest.empty() ? unix_time(*number, text.size()) : std::nullopt;
}

std::optional<int64_t> parse_duration_ns(std::string_view text) {
    auto rest = text;
    const auto number = take_number(rest);
    return number && *number > 0 ? span_of(*number, rest) : std::nullopt;
}

char* write_time_ns(int64_t time_ns, char* out) {
    const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(time_ns)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    const auto put = [&out](int64_t number, int digits, char behind) {
        for (int i = digits; i-- > 0; number /= 10) {
            out[i] = static_cast<char>('0' + number % 10);
        }
        out[digits] = behind;
        out += digits + 1;
    };
    put(static_cast<int>(date.year()), 4, '-');
    put(static_cast<unsigned>(date.month()), 2, '-');
    put(static_cast<unsigned>(date.day()), 2, 'T');
    put(clock.hours().count(), 2, ':');
    put(clock.minutes().count(), 2, ':');
    put(clock.seconds().count(), 2, '.');
    put(clock.subseconds().count(), 9, 'Z');
    // Back over the zeros of the fraction, and over its point when nothing is left of it.
    char* end = out - 1;
    while (end[-1] == '0') {
        --end;
    }
    end -= end[-1] == '.';
    *end = 'Z';
    return end + 1;
}

std::string time_text(int64_t time_ns) {
    char text[time_text_bytes_max + 1];
    return {text, write_time_ns(time_ns, text)};
}

} // namespace query
