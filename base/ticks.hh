// Ticks (100 ns since 0001-01-01T00:00:00Z), the inverted ticks of log-tail row keys, and their texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace base {

struct tick {
    int64_t value = 0;

    constexpr auto operator<=>(const tick&) const = default;
};

constexpr int64_t ticks_per_second = 10'000'000;
constexpr int64_t ns_per_second = 1'000'000'000;
constexpr int64_t ticks_per_ms = 10'000;
constexpr tick unix_epoch{621'355'968'000'000'000};
constexpr tick tick_max{3'155'378'975'999'999'999};   // 9999-12-31T23:59:59.9999999Z
constexpr tick datetime_min{504'911'232'000'000'000}; // 1601-01-01, the oldest DateTime a property may hold
constexpr size_t inverted_digits = 19;

// tick_max - t; so that the newest comes first in text order. Its own inverse. Needs 0 <= t <= tick_max.
constexpr int64_t invert(tick t) {
    return tick_max.value - t.value;
}

// Exactly 19 digits, zero-padded.
std::string inverted_text(tick);
// Reads the first 19 characters; nothing when they are not 19 digits or not the inverse of a tick.
std::optional<tick> parse_inverted(std::string_view);

tick tick_from_unix_ns(int64_t ns);
// Saturates outside 1677..2262, which is all that 64 bits of nanoseconds hold.
int64_t unix_ns(tick);

// "2026-11-16T09:30:00.1234567Z": up to seven fraction digits, trailing zeros (and a bare dot) cut.
std::string to_text(tick);
// YYYY-MM-DDThh:mm:ss, any number of fraction digits (those after the seventh are cut), Z, an offset, or nothing for UTC.
// A date alone is its midnight. Nothing when the text is not a time or lies outside years 1..9999.
std::optional<tick> parse_time(std::string_view);

} // namespace base
