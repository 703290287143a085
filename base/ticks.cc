#include "base/ticks.hh"

#include <charconv>
#include <chrono>
#include <limits>

#include "base/digits.hh"

namespace base {
namespace {

constexpr int64_t ticks_per_day = 86'400 * ticks_per_second;

// Reads exactly `count` digits off the front.
std::optional<int> digits(std::string_view& text, size_t count) {
    if (text.size() < count) {
        return std::nullopt;
    }
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return std::nullopt;
        }
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool skip(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

std::optional<int64_t> date_ticks(std::string_view& text) {
    auto year = digits(text, 4);
    if (!year || !skip(text, '-')) {
        return std::nullopt;
    }
    auto month = digits(text, 2);
    if (!month || !skip(text, '-')) {
        return std::nullopt;
    }
    auto day = digits(text, 2);
    if (!day) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok() || *year < 1) {
        return std::nullopt;
    }
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return unix_epoch.value + days * ticks_per_day;
}

std::optional<int64_t> fraction_ticks(std::string_view& text) {
    int64_t value = 0;
    int count = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        if (count < 7) {
            value = value * 10 + (text.front() - '0');
        }
        ++count;
        text.remove_prefix(1);
    }
    if (count == 0) {
        return std::nullopt;
    }
    for (; count < 7; ++count) {
        value *= 10;
    }
    return value;
}

std::optional<int64_t> clock_ticks(std::string_view& text) {
    auto hour = digits(text, 2);
    if (!hour || !skip(text, ':')) {
        return std::nullopt;
    }
    auto minute = digits(text, 2);
    if (!minute) {
        return std::nullopt;
    }
    std::optional<int> second = 0;
    if (skip(text, ':')) {
        second = digits(text, 2);
    }
    if (!second || *hour > 23 || *minute > 59 || *second > 59) {
        return std::nullopt;
    }
    int64_t value = ((*hour * 60 + *minute) * 60 + *second) * ticks_per_second;
    if (skip(text, '.')) {
        auto fraction = fraction_ticks(text);
        if (!fraction) {
            return std::nullopt;
        }
        value += *fraction;
    }
    return value;
}

// What to subtract to get UTC.
std::optional<int64_t> offset_ticks(std::string_view& text) {
    if (text.empty() || skip(text, 'Z') || skip(text, 'z')) {
        return 0;
    }
    const bool negative = text.front() == '-';
    if (!skip(text, '+') && !skip(text, '-')) {
        return std::nullopt;
    }
    auto hour = digits(text, 2);
    skip(text, ':');
    auto minute = digits(text, 2);
    if (!hour || !minute || *hour > 23 || *minute > 59) {
        return std::nullopt;
    }
    const int64_t value = (*hour * 60 + *minute) * 60 * ticks_per_second;
    return negative ? -value : value;
}

} // namespace

std::string inverted_text(tick t) {
    std::string text(inverted_digits, '0');
    auto value = invert(t);
    for (size_t i = inverted_digits; i-- > 0 && value > 0; value /= 10) {
        text[i] = static_cast<char>('0' + value % 10);
    }
    return text;
}

std::optional<tick> parse_inverted(std::string_view text) {
    static_assert(inverted_digits == 19);
    const auto value = parse_19_digits(text);
    if (!value || *value > static_cast<uint64_t>(tick_max.value)) {
        return std::nullopt;
    }
    return tick{tick_max.value - static_cast<int64_t>(*value)};
}

tick tick_from_unix_ns(int64_t ns) {
    int64_t whole = ns / 100;
    if (ns % 100 < 0) {
        --whole;
    }
    return tick{unix_epoch.value + whole};
}

int64_t unix_ns(tick t) {
    int64_t ns = 0;
    const int64_t since = t.value - unix_epoch.value;
    if (__builtin_mul_overflow(since, int64_t{100}, &ns)) {
        return since < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
    }
    return ns;
}

std::string to_text(tick t) {
    const int64_t since = t.value - unix_epoch.value;
    int64_t days = since / ticks_per_day;
    int64_t rest = since % ticks_per_day;
    if (rest < 0) {
        rest += ticks_per_day;
        --days;
    }
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
    std::string text = "0000-00-00T00:00:00";
    auto place = [&text](size_t at, size_t width, int64_t value) {
        for (size_t i = width; i-- > 0; value /= 10) {
            text[at + i] = static_cast<char>('0' + value % 10);
        }
    };
    const int64_t seconds = rest / ticks_per_second;
    place(0, 4, static_cast<int>(date.year()));
    place(5, 2, static_cast<unsigned>(date.month()));
    place(8, 2, static_cast<unsigned>(date.day()));
    place(11, 2, seconds / 3600);
    place(14, 2, seconds / 60 % 60);
    place(17, 2, seconds % 60);
    if (int64_t fraction = rest % ticks_per_second; fraction != 0) {
        text += ".0000000";
        place(20, 7, fraction);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + 'Z';
}

std::optional<tick> parse_time(std::string_view text) {
    auto date = date_ticks(text);
    if (!date) {
        return std::nullopt;
    }
    int64_t value = *date;
    if (skip(text, 'T') || skip(text, 't') || skip(text, ' ')) {
        auto clock = clock_ticks(text);
        auto offset = clock ? offset_ticks(text) : std::nullopt;
        if (!offset) {
            return std::nullopt;
        }
        value += *clock - *offset;
    }
    if (!text.empty() || value < 0 || value > tick_max.value) {
        return std::nullopt;
    }
    return tick{value};
}

} // namespace base
