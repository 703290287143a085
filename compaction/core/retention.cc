#include "compaction/core/retention.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

namespace compaction {
namespace {

struct unit {
    char letter;
    int64_t ticks;
};
constexpr int64_t second = base::ticks_per_second;
constexpr std::array units{unit{'w', 7 * 86'400 * second}, unit{'d', 86'400 * second}, unit{'h', 3'600 * second},
                           unit{'m', 60 * second}, unit{'s', second}};
constexpr int64_t hour = 3'600 * second;

std::unexpected<base::error> bad_policy(std::string_view what) {
    return base::fail(base::errc::invalid_argument, fmt::format("a retention policy cannot have {}", what));
}

template <class Number>
std::optional<Number> parse_number(std::string_view digits) {
    Number n{};
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    return status == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? std::optional(n) : std::nullopt;
}

// Of yyyymm, yyyymmdd, yyyymmddhh.
std::optional<base::tick> start_of_digits(std::string_view digits) {
    const auto year = parse_number<int>(digits.substr(0, 4));
    const auto month = parse_number<unsigned>(digits.substr(4, 2));
    const auto day = digits.size() > 6 ? parse_number<unsigned>(digits.substr(6, 2)) : 1u;
    const auto hours = digits.size() > 8 ? parse_number<unsigned>(digits.substr(8, 2)) : 0u;
    if (!year || !month || !day || !hours || *hours > 23) {
        return std::nullopt;
    }
    return base::parse_time(fmt::format("{:04}-{:02}-{:02}T{:02}:00:00Z", *year, *month, *day, *hours));
}

} // namespace

std::optional<int64_t> parse_length(std::string_view text) {
    const auto found = std::ranges::find(units, text.empty() ? '\0' : text.back(), &unit::letter);
    if (found == units.end()) {
        return std::nullopt;
    }
    const auto count = parse_number<int64_t>(text.substr(0, text.size() - 1));
    if (!count || *count <= 0 || *count > base::tick_max.value / found->ticks) {
        return std::nullopt;
    }
    return *count * found->ticks;
}

std::string length_text(int64_t ticks) {
    const auto fits = std::ranges::find_if(units, [&](const unit& u) { return ticks % u.ticks == 0; });
    return fits == units.end() ? fmt::format("{}s", ticks / second) : fmt::format("{}{}", ticks / fits->ticks, fits->letter);
}

std::optional<tables::period_kind> parse_period(std::string_view text) {
    for (const auto p : {tables::period_kind::hour, tables::period_kind::day, tables::period_kind::week, tables::period_kind::month}) {
        if (period_text(p) == text) {
            return p;
        }
    }
    return std::nullopt;
}

std::string_view period_text(tables::period_kind period) {
    switch (period) {
    case tables::period_kind::hour: return "1h";
    case tables::period_kind::day: return "1d";
    case tables::period_kind::week: return "7d";
    case tables::period_kind::month: return "month";
    }
    return "";
}

std::string encode(const retention_policy& p) {
    return fmt::format("period={} keep={} max_bytes={}", p.period ? period_text(*p.period) : "",
                       p.keep_ticks > 0 ? length_text(p.keep_ticks) : "", p.max_bytes);
}

base::expected<retention_policy> decode_policy(std::string name, std::string_view text) {
    retention_policy policy{.name = std::move(name)};
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const auto key = word.substr(0, word.find('='));
        const auto value = word.substr(std::min(word.size(), key.size() + 1));
        if (value.empty()) {
            continue;
        }
        if (key == "period" && (policy.period = parse_period(value))) {
            continue;
        }
        const auto length = key == "keep" ? parse_length(value) : std::nullopt;
        const auto bytes = key == "max_bytes" ? parse_number<uint64_t>(value) : std::nullopt;
        if (!length && !bytes) {
            return bad_policy(word);
        }
        policy.keep_ticks = length.value_or(policy.keep_ticks);
        policy.max_bytes = bytes.value_or(policy.max_bytes);
    }
    return policy;
}

base::tick end_of_period(tables::period_kind period, base::tick start) {
    switch (period) {
    case tables::period_kind::hour: return {start.value + hour};
    case tables::period_kind::day: return {start.value + 24 * hour};
    case tables::period_kind::week: return {start.value + 7 * 24 * hour};
    case tables::period_kind::month: break;
    }
    // Thirty-two days later it is the next month, whatever the month.
    const auto next = base::to_text({start.value + 32 * 24 * hour});
    return base::parse_time(next.substr(0, 8) + "01T00:00:00Z").value_or(base::tick_max);
}

std::optional<base::tick> end_of_dated_name(std::string_view table_name, std::string_view name) {
    if (!table_name.starts_with(name)) {
        return std::nullopt;
    }
    const auto digits = table_name.substr(name.size());
    const auto period = digits.size() == 6    ? std::optional(tables::period_kind::month)
                        : digits.size() == 8  ? std::optional(tables::period_kind::day)
                        : digits.size() == 10 ? std::optional(tables::period_kind::hour)
                                              : std::nullopt;
    if (!period || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) {
        return std::nullopt;
    }
    const auto start = start_of_digits(digits);
    return start ? std::optional(end_of_period(*period, *start)) : std::nullopt;
}

std::vector<table_to_drop> tables_to_drop(const retention_policy& policy, std::vector<aged_table> tables, base::tick now) {
    std::ranges::sort(tables, {}, [](const aged_table& t) { return std::pair(t.end, t.id); });
    std::vector<table_to_drop> doomed;
    uint64_t left = 0;
    for (const auto& t : tables) {
        left += t.bytes;
    }
    for (auto& t : tables) {
        const bool is_over = t.end <= now;
        const bool is_expired = policy.keep_ticks > 0 && t.end.value <= now.value - policy.keep_ticks;
        const bool is_too_much = policy.max_bytes > 0 && left > policy.max_bytes;
        if (!is_over || (!is_expired && !is_too_much)) {
            continue;
        }
        left -= t.bytes;
        doomed.push_back({std::move(t), is_expired ? drop_reason::expired : drop_reason::over_max_bytes});
    }
    return doomed;
}

bool clock_watch::check(base::tick wall, int64_t steady_ticks) {
    const int64_t difference = wall.value - steady_ticks;
    if (_difference && std::abs(difference - *_difference) > jump_ticks_max) {
        _has_jumped = true;
    }
    _difference = difference;
    return !_has_jumped;
}

} // namespace compaction
