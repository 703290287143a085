#include "service/core/time_text.hh"

#include <array>
#include <chrono>

namespace service {
namespace {

constexpr int64_t ticks_per_day = 86'400 * base::ticks_per_second;

struct civil_time {
    unsigned year, month, day, hour, minute, second;
    unsigned fraction; // ticks below the second
};

civil_time civil(base::tick t) {
    // Ticks count from 0001-01-01 and are never negative, so plain division is enough.
    const int64_t days = t.value / ticks_per_day;
    const int64_t rest = t.value % ticks_per_day;
    const int64_t epoch_days = base::unix_epoch.value / ticks_per_day;
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days - epoch_days))};
    const auto seconds = static_cast<unsigned>(rest / base::ticks_per_second);
    return {.year = static_cast<unsigned>(static_cast<int>(date.year())),
            .month = static_cast<unsigned>(date.month()),
            .day = static_cast<unsigned>(date.day()),
            .hour = seconds / 3600,
            .minute = seconds / 60 % 60,
            .second = seconds % 60,
            .fraction = static_cast<unsigned>(rest % base::ticks_per_second)};
}

char* put_digits(char* at, unsigned value, unsigned width) {
    for (unsigned i = width; i-- > 0; value /= 10) {
        at[i] = static_cast<char>('0' + value % 10);
    }
    return at + width;
}

void put_digits(text_sink& out, unsigned value, unsigned width) {
    out.advance_to(put_digits(out.room(width), value, width));
}

void put_clock(text_sink& out, const civil_time& time, std::string_view colon) {
    put_digits(out, time.hour, 2);
    out.put(colon);
    put_digits(out, time.minute, 2);
    out.put(colon);
    put_digits(out, time.second, 2);
}

void put_fraction(text_sink& out, unsigned ticks, fraction digits) {
    constexpr unsigned width_max = 7;
    if (ticks == 0 && digits == fraction::cut) {
        return;
    }
    std::array<char, width_max> text;
    put_digits(text.data(), ticks, width_max);
    std::string_view shown(text.data(), text.size());
    if (digits == fraction::cut) {
        shown = shown.substr(0, shown.find_last_not_of('0') + 1);
    }
    out.put('.');
    out.put(shown);
}

} // namespace

void put_time(text_sink& out, base::tick t, fraction digits, std::string_view colon) {
    const civil_time time = civil(t);
    put_digits(out, time.year, 4);
    out.put('-');
    put_digits(out, time.month, 2);
    out.put('-');
    put_digits(out, time.day, 2);
    out.put('T');
    put_clock(out, time, colon);
    put_fraction(out, time.fraction, digits);
    out.put('Z');
}

void put_us_time(text_sink& out, base::tick t) {
    const civil_time time = civil(t);
    put_digits(out, time.month, 2);
    out.put('/');
    put_digits(out, time.day, 2);
    out.put('/');
    put_digits(out, time.year, 4);
    out.put(' ');
    put_clock(out, time, ":");
}

} // namespace service
