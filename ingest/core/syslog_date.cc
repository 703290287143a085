#include "ingest/core/syslog_date.hh"

#include <chrono>

#include "base/take.hh"
#include "base/ticks.hh"
#include "ingest/core/unix_time.hh"

namespace ingest {
namespace {

using namespace std::chrono;
using base::is_digit;
using base::take;

// Half a year and a day: a date that exists each year has a place at least so near.
constexpr uint64_t near_ns = uint64_t{184} * 86'400 * base::ns_per_second;

// A number of `min` to `max` digits that no further digit follows.
std::optional<int> take_number(std::string_view& text, size_t min, size_t max) {
    size_t size = 0;
    int value = 0;
    for (; size < text.size() && is_digit(text[size]); ++size) {
        if (size == max) {
            return std::nullopt;
        }
        value = value * 10 + (text[size] - '0');
    }
    if (size < min) {
        return std::nullopt;
    }
    text.remove_prefix(size);
    return value;
}

std::optional<month> take_month(std::string_view& text) {
    constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const size_t at = text.size() < 3 ? names.npos : names.find(text.substr(0, 3));
    if (at == names.npos || at % 3 != 0) {
        return std::nullopt;
    }
    text.remove_prefix(3);
    return month(static_cast<unsigned>(at / 3 + 1));
}

// A year and the space before it. What is no year is left.
std::optional<year> take_year(std::string_view& text) {
    auto rest = text;
    if (!take(rest, ' ')) {
        return std::nullopt;
    }
    const auto number = take_number(rest, 4, 4);
    // "2026 host" and "2026: text", but not "2001:db8::1", which is a host.
    if (!number || !(rest.empty() || rest == ":" || rest.starts_with(' ') || rest.starts_with(": "))) {
        return std::nullopt;
    }
    text = rest;
    return year(*number);
}

// Nanoseconds since midnight. hh:mm:ss and a fraction.
std::optional<int64_t> take_clock(std::string_view& text) {
    const auto hour = take_number(text, 1, 2);
    if (!hour || !take(text, ':')) {
        return std::nullopt;
    }
    const auto minute = take_number(text, 2, 2);
    if (!minute || !take(text, ':')) {
        return std::nullopt;
    }
    const auto second = take_number(text, 2, 2);
    if (!second || *hour > 23 || *minute > 59 || *second > 60) {
        return std::nullopt;
    }
    int64_t ns = ((*hour * 60 + *minute) * 60 + *second) * base::ns_per_second;
    if (text.size() > 1 && text.front() == '.' && is_digit(text[1])) {
        text.remove_prefix(1);
        for (int64_t unit = base::ns_per_second / 10; !text.empty() && is_digit(text.front()); unit /= 10) {
            ns += (text.front() - '0') * unit;
            text.remove_prefix(1);
        }
    }
    return ns;
}

struct date {
    month month_of_year{1};
    unsigned day_of_month = 0;
    std::optional<year> known_year;
    int64_t clock_ns = 0;
    bool is_utc = false;
};

std::optional<int64_t> in_year(const date& d, year y, const syslog_receipt& receipt) {
    const year_month_day date_in_year(y, d.month_of_year, day(d.day_of_month));
    if (!date_in_year.ok()) {
        return std::nullopt;
    }
    const int64_t offset = d.is_utc ? 0 : receipt.utc_offset_s;
    const int64_t midnight_s = sys_days(date_in_year).time_since_epoch().count() * int64_t{86'400} - offset;
    int64_t ns = 0;
    if (__builtin_mul_overflow(midnight_s, base::ns_per_second, &ns) || __builtin_add_overflow(ns, d.clock_ns, &ns)) {
        return std::nullopt;
    }
    return ns;
}

// In the year that brings it nearest to the receipt. A 29 February that is not near has no year that it can be of: it says
// nothing, and the receipt does.
std::optional<int64_t> nearest(const date& d, const syslog_receipt& receipt) {
    const year_month_day today(floor<days>(sys_time<nanoseconds>(nanoseconds(receipt.time_ns))));
    std::optional<int64_t> best;
    uint64_t best_distance = near_ns;
    for (int i = -1; i <= 1; ++i) {
        if (const auto ns = in_year(d, today.year() + years(i), receipt)) {
            // Unsigned: the two may be further apart than a signed number holds.
            const uint64_t distance = *ns < receipt.time_ns ? static_cast<uint64_t>(receipt.time_ns) - static_cast<uint64_t>(*ns)
                                                            : static_cast<uint64_t>(*ns) - static_cast<uint64_t>(receipt.time_ns);
            if (distance < best_distance) {
                best = ns;
                best_distance = distance;
            }
        }
    }
    const bool is_leap_day = d.month_of_year == February && d.day_of_month == 29;
    return !best && is_leap_day ? receipt.time_ns : best;
}

std::optional<date> take_date(std::string_view& text) {
    date d;
    const auto month = take_month(text);
    if (!month || !take(text, ' ')) {
        return std::nullopt;
    }
    take(text, ' ');
    const auto day = take_number(text, 1, 2);
    d.known_year = take_year(text);
    if (!day || !take(text, ' ')) {
        return std::nullopt;
    }
    const auto clock = take_clock(text);
    if (!clock) {
        return std::nullopt;
    }
    if (!d.known_year) {
        d.known_year = take_year(text);
    }
    d.is_utc = take(text, " UTC") || take(text, " GMT") || take(text, 'Z');
    d.month_of_year = *month;
    d.day_of_month = static_cast<unsigned>(*day);
    d.clock_ns = *clock;
    return d;
}

std::optional<int64_t> take_rfc3339(std::string_view& text) {
    const auto word = text.substr(0, text.find(' '));
    // Long enough for a date and a clock: base::parse_time would take a date alone.
    if (word.size() < 19 || !is_digit(word.front()) || word[4] != '-') {
        return std::nullopt;
    }
    const auto ns = parse_date_ns(word);
    if (!ns) {
        return std::nullopt;
    }
    text.remove_prefix(word.size());
    return *ns;
}

} // namespace

std::optional<int64_t> take_syslog_date(std::string_view& text, const syslog_receipt& receipt) {
    auto rest = text;
    auto ns = take_rfc3339(rest);
    if (!ns) {
        if (!take(rest, '*')) {
            take(rest, '.');
        }
        const auto d = take_date(rest);
        if (!d) {
            return std::nullopt;
        }
        ns = d->known_year ? in_year(*d, *d->known_year, receipt) : nearest(*d, receipt);
        take(rest, ':');
    }
    // A date ends with a space or with the text.
    if (!ns || !(rest.empty() || take(rest, ' '))) {
        return std::nullopt;
    }
    text = rest;
    return ns;
}

} // namespace ingest
