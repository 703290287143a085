#include "tables/core/family/point_key.hh"

#include <limits>

#include "base/take.hh"

namespace tables {
namespace {

constexpr int ns_per_tick = 100;

// Two digits at a time, from the right.
constexpr auto two_digits = [] {
    std::array<char, 200> table{};
    for (unsigned i = 0; i < 100; ++i) {
        table[2 * i] = static_cast<char>('0' + i / 10);
        table[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return table;
}();

void put_two(char* at, unsigned value) {
    at[0] = two_digits[2 * value];
    at[1] = two_digits[2 * value + 1];
}

} // namespace

point_key_text point_key(int64_t time_ns) {
    const auto tick = base::tick_from_unix_ns(time_ns);
    const auto below = static_cast<unsigned>((time_ns % ns_per_tick + ns_per_tick) % ns_per_tick);
    point_key_text key;
    auto inverted = static_cast<uint64_t>(base::invert(tick));
    put_two(key.data() + base::inverted_digits, ns_per_tick - 1 - below);
    for (size_t i = base::inverted_digits; i > 1; i -= 2) {
        put_two(key.data() + i - 2, inverted % 100);
        inverted /= 100;
    }
    key[0] = static_cast<char>('0' + inverted);
    return key;
}

std::optional<int64_t> parse_point_key(std::string_view row_key) {
    const auto tick = row_key.size() == point_key_bytes ? base::parse_inverted(row_key) : std::nullopt;
    return tick ? point_time(*tick, row_key.substr(base::inverted_digits)) : std::nullopt;
}

std::optional<int64_t> point_time(base::tick tick, std::string_view suffix) {
    if (suffix.size() != point_key_bytes - base::inverted_digits || !base::is_digit(suffix[0]) || !base::is_digit(suffix[1])) {
        return std::nullopt;
    }
    const int below = ns_per_tick - 1 - ((suffix[0] - '0') * 10 + (suffix[1] - '0'));
    const __int128 ns = static_cast<__int128>(tick.value - base::unix_epoch.value) * ns_per_tick + below;
    if (ns < std::numeric_limits<int64_t>::min() || ns > std::numeric_limits<int64_t>::max()) {
        return std::nullopt;
    }
    return static_cast<int64_t>(ns);
}

row_key_bounds row_keys_between(base::tick start, base::tick end) {
    auto first = base::inverted_text(base::tick{end.value - 1});
    if (start >= end) {
        return {first, first};
    }
    return {std::move(first), base::inverted_text(base::tick{start.value - 1})};
}

} // namespace tables
