#include "ingest/core/recent_minute.hh"

#include "base/take.hh"
#include "base/ticks.hh"
#include "ingest/core/unix_time.hh"

namespace ingest {
namespace {

using base::is_digit;

constexpr size_t minute_bytes = 16;
constexpr size_t fraction_digits = 9;
// So far from the ends of what a number of nanoseconds holds that no minute reaches them.
constexpr int64_t kept_ns_max = int64_t{1} << 62;

// ":ss", with a fraction of at most nine digits or none, off the front of `text`. Nothing for any other form.
std::optional<int64_t> take_seconds(std::string_view& text) {
    if (text.size() < 3 || text[0] != ':' || !is_digit(text[1]) || !is_digit(text[2]) || text[1] > '5') {
        return std::nullopt;
    }
    int64_t ns = ((text[1] - '0') * 10 + (text[2] - '0')) * base::ns_per_second;
    text.remove_prefix(3);
    if (!base::take(text, '.')) {
        return ns;
    }
    size_t size = 0;
    int64_t unit = base::ns_per_second / 10;
    for (; size < text.size() && is_digit(text[size]); ++size, unit /= 10) {
        ns += (text[size] - '0') * unit;
    }
    text.remove_prefix(size);
    return size == 0 || size > fraction_digits ? std::nullopt : std::optional(ns);
}

} // namespace

std::optional<int64_t> recent_minute::parse(std::string_view date) {
    const auto minute = date.substr(0, minute_bytes);
    auto zone = date.substr(minute.size());
    const auto seconds = take_seconds(zone);
    if (seconds && !_minute.empty() && minute == _minute && zone == _zone) {
        return _begin_ns + *seconds;
    }
    const auto ns = parse_date_ns(date);
    if (!ns) {
        return std::nullopt;
    }
    if (seconds && *ns > -kept_ns_max && *ns < kept_ns_max) {
        _minute = minute;
        _zone = zone;
        _begin_ns = *ns - *seconds;
    }
    return *ns;
}

} // namespace ingest
