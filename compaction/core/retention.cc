#include "compaction/core/retention.hh"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "base/planted.hh"

namespace compaction {
namespace {

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
    return start ? std::optional(tables::end_of(*period, *start)) : std::nullopt;
}

std::optional<base::tick> next_drop(const retention_policy& policy, base::tick end) {
    if (policy.keep_ticks == 0 || end.value > base::tick_max.value - policy.keep_ticks) {
        return std::nullopt;
    }
    return base::tick{end.value + policy.keep_ticks};
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

void leave_newest(std::vector<aged_table>& tables) {
    for (const bool is_log : {false, true}) {
        const auto newest = std::ranges::max_element(tables, {}, [is_log](const aged_table& t) {
            return t.log_period.has_value() == is_log && t.bytes > 0 ? t.end.value : -1;
        });
        if (newest != tables.end() && newest->log_period.has_value() == is_log && newest->bytes > 0) {
            tables.erase(newest);
        }
    }
}

std::vector<table_to_drop> oldest_to_drop(std::vector<aged_table> tables, base::tick now, uint64_t bytes_wanted) {
    std::ranges::sort(tables, {}, [](const aged_table& t) { return std::pair(t.end, t.id); });
    std::vector<table_to_drop> doomed;
    uint64_t bytes = 0;
    for (auto& t : tables) {
        if (bytes >= bytes_wanted || t.end > now) {
            break;
        }
        if (t.bytes > 0) {
            bytes += t.bytes;
            doomed.push_back({std::move(t), drop_reason::disk_is_full});
        }
    }
    return doomed;
}

std::string_view reason_text(drop_reason reason) {
    switch (reason) {
    case drop_reason::expired: return "expired";
    case drop_reason::over_max_bytes: return "over max_bytes";
    case drop_reason::disk_is_full: return "over the high-water mark of the disk";
    }
    return "";
}

bool clock_watch::check(base::tick wall, int64_t steady_ticks) {
    const int64_t difference = wall.value - steady_ticks;
    if (_difference && std::abs(difference - *_difference) > jump_ticks_max) {
        _has_jumped = true;
    }
    _difference = difference;
    return !_has_jumped || base::planted(base::bug::retention_by_wall_clock);
}

} // namespace compaction
