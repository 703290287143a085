// The times people write in requests: RFC 3339, Unix time, or relative to now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace query {

// Nanoseconds since 1970, or nothing when the text is not a time or lies outside 1677..2262.
//
//   2026-11-16T09:30:00.123456789Z   as base::parse_time, with nine digits of fraction
//   1794821400                       Unix time; by its digits: up to 11 seconds, 14 milliseconds, 17 microseconds, else ns
//   now, -15m                        a whole number and ns, us, ms, s, m, h, d or w before `now_ns`
std::optional<int64_t> parse_time_ns(std::string_view text, int64_t now_ns);

// A length of time: a whole number above 0 and one of those units.
std::optional<int64_t> parse_duration_ns(std::string_view text);

constexpr size_t time_text_bytes_max = 30;
// "2026-11-16T09:30:00.123456789Z": zeros at the end of the fraction, and a bare point, are cut. Writes at most
// time_text_bytes_max bytes and returns their end.
char* write_time_ns(int64_t time_ns, char* out);
std::string time_text(int64_t time_ns);

} // namespace query
