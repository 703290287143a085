#include "server/zone.hh"

#include <chrono>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/take.hh"

namespace server {
namespace {

std::optional<int32_t> take_two_digits(std::string_view& text) {
    if (text.size() < 2 || !base::is_digit(text[0]) || !base::is_digit(text[1])) {
        return std::nullopt;
    }
    const int32_t number = (text[0] - '0') * 10 + (text[1] - '0');
    text.remove_prefix(2);
    return number;
}

// +hh:mm or -hh:mm
std::optional<int32_t> parse_offset(std::string_view text) {
    const bool is_west = text.starts_with('-');
    if (!is_west && !text.starts_with('+')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const auto hours = take_two_digits(text);
    const bool has_colon = base::take(text, ':');
    const auto minutes = take_two_digits(text);
    if (!hours || !has_colon || !minutes || !text.empty() || *hours > 14 || *minutes > 59) {
        return std::nullopt;
    }
    const int32_t seconds = (*hours * 60 + *minutes) * 60;
    return is_west ? -seconds : seconds;
}

} // namespace

base::expected<utc_offset> find_zone(const std::string& text) {
    if (text == "UTC") {
        return [](int64_t) { return 0; };
    }
    if (const auto seconds = parse_offset(text)) {
        return [s = *seconds](int64_t) { return s; };
    }
    try {
        const auto* zone = std::chrono::locate_zone(text);
        return [zone](int64_t time_ns) {
            const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(time_ns)};
            return static_cast<int32_t>(zone->get_info(std::chrono::floor<std::chrono::seconds>(time)).offset.count());
        };
    } catch (const std::runtime_error&) {
        return base::fail(base::errc::invalid_argument,
                          fmt::format("syslog-zone = {} is neither UTC, nor an offset like +02:00, nor in this machine's zone "
                                      "database (Europe/Vienna)",
                                      text));
    }
}

} // namespace server
