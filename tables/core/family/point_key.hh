// Row keys of points: 21 digits, the inverted tick of the time and 99 less the nanoseconds below that tick. So the newest comes
// first, to the nanosecond, and the time can be had back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ticks.hh"

namespace tables {

constexpr size_t point_key_bytes = base::inverted_digits + 2;
using point_key_text = std::array<char, point_key_bytes>;

point_key_text point_key(int64_t time_ns);
inline std::string_view view(const point_key_text& key) {
    return {key.data(), key.size()};
}

// Nothing when this is no such key, or of a time that 64 bits of nanoseconds cannot hold.
std::optional<int64_t> parse_point_key(std::string_view row_key);

// The same for a key in two parts: its tick, and what follows it.
std::optional<int64_t> point_time(base::tick, std::string_view suffix);

// The row keys of [start, end): first <= key < last. Both are 19 digits, so they also bound keys with other suffixes than points
// have. Needs: 0 <= start, end <= tick_max + 1; with start >= end they hold nothing.
struct row_key_bounds {
    std::string first;
    std::string last;
};
row_key_bounds row_keys_between(base::tick start, base::tick end);

} // namespace tables
