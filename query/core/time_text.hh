// The times people write in requests: RFC 3339, Unix time, or relative to now.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace query {

// Nanoseconds since 1970, or nothing when the text is not a time or lies outside 1677..2262.
//
//   2026-11-16T09:30:00.123456789Z   as base::parse_time, with nine digits of fraction
//   1794821400                       Unix time; by its digits: up to 11 seconds, 14 milliseconds, 17 microseconds, else ns
//   now, -15m                        a whole number and ns, us, ms, s, m, h, d or w before `now_ns`
std::optional<int64_t> parse_time_ns(std::string_view text, int64_t now_ns);

} // namespace query
