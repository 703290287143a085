#include "tables/core/period.hh"

#include <chrono>

namespace tables {
namespace {

using namespace std::chrono;

constexpr int64_t hour_ticks = 3'600 * base::ticks_per_second;
constexpr int64_t day_ticks = 24 * hour_ticks;
constexpr int64_t week_ticks = 7 * day_ticks;
// The day of tick 0, counted from 1970 as chrono does.
constexpr sys_days first_day = year(1) / January / 1;
static_assert(weekday(first_day) == Monday);

year_month_day date_of(base::tick t) {
    return first_day + days(t.value / day_ticks);
}

base::tick midnight_of(year_month_day date) {
    return base::tick{(sys_days(date) - first_day).count() * day_ticks};
}

base::tick rounded_down(base::tick t, int64_t unit) {
    return base::tick{t.value - t.value % unit};
}

void append_number(std::string& out, unsigned value, size_t width) {
    const auto digits = std::to_string(value);
    out.append(width - digits.size(), '0').append(digits);
}

unsigned number_at(std::string_view digits, size_t at, size_t width) {
    unsigned value = 0;
    for (char c : digits.substr(at, width)) {
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
}

} // namespace

std::optional<period_kind> parse_period(std::string_view text) {
    for (auto p : {period_kind::hour, period_kind::day, period_kind::week, period_kind::month}) {
        if (text == period_text(p)) {
            return p;
        }
    }
    return std::nullopt;
}

std::string_view period_text(period_kind p) {
    switch (p) {
    case period_kind::hour: return "1h";
    case period_kind::day: return "1d";
    case period_kind::week: return "7d";
    case period_kind::month: return "month";
    }
    return "unknown";
}

base::tick start_of(period_kind p, base::tick t) {
    switch (p) {
    case period_kind::hour: return rounded_down(t, hour_ticks);
    case period_kind::day: return rounded_down(t, day_ticks);
    case period_kind::week: return rounded_down(t, week_ticks);
    case period_kind::month: break;
    }
    const auto date = date_of(t);
    return midnight_of(date.year() / date.month() / 1);
}

base::tick end_of(period_kind p, base::tick t) {
    const auto start = start_of(p, t);
    switch (p) {
    case period_kind::hour: return base::tick{start.value + hour_ticks};
    case period_kind::day: return base::tick{start.value + day_ticks};
    case period_kind::week: return base::tick{start.value + week_ticks};
    case period_kind::month: break;
    }
    return midnight_of(date_of(start) + months(1));
}

size_t start_digits_count(period_kind p) {
    switch (p) {
    case period_kind::hour: return 10;
    case period_kind::day:
    case period_kind::week: return 8;
    case period_kind::month: break;
    }
    return 6;
}

std::string start_digits(period_kind p, base::tick t) {
    const auto start = start_of(p, t);
    const auto date = date_of(start);
    std::string digits;
    append_number(digits, static_cast<unsigned>(static_cast<int>(date.year())), 4);
    append_number(digits, static_cast<unsigned>(date.month()), 2);
    if (p != period_kind::month) {
        append_number(digits, static_cast<unsigned>(date.day()), 2);
    }
    if (p == period_kind::hour) {
        append_number(digits, static_cast<unsigned>(start.value % day_ticks / hour_ticks), 2);
    }
    return digits;
}

std::optional<base::tick> parse_start_digits(period_kind p, std::string_view digits) {
    if (digits.size() != start_digits_count(p) || digits.find_first_not_of("0123456789") != digits.npos) {
        return std::nullopt;
    }
    const auto year_number = static_cast<int>(number_at(digits, 0, 4));
    const unsigned day_number = p == period_kind::month ? 1 : number_at(digits, 6, 2);
    const year_month_day date{year(year_number), month(number_at(digits, 4, 2)), day(day_number)};
    const unsigned hour_number = p == period_kind::hour ? number_at(digits, 8, 2) : 0;
    if (!date.ok() || year_number < 1 || hour_number > 23) {
        return std::nullopt;
    }
    const base::tick t{midnight_of(date).value + hour_number * hour_ticks};
    return start_of(p, t) == t ? std::optional(t) : std::nullopt;
}

} // namespace tables
