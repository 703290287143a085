// The periods families are cut into, one table each. Always UTC; weeks begin on Mondays, as the first day of all ticks was one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ticks.hh"

namespace tables {

// On disk (catalog): do not renumber.
enum class period_kind : uint8_t { hour = 1, day = 2, week = 3, month = 4 };

// "1h", "1d", "7d", "month".
std::optional<period_kind> parse_period(std::string_view);
std::string_view period_text(period_kind);

// The period that holds the tick is [start_of, end_of). The end is also the start of the next one; that of the very last may
// lie beyond tick_max. Needs: 0 <= t <= tick_max.
base::tick start_of(period_kind, base::tick t);
base::tick end_of(period_kind, base::tick t);

// The start as table names have it: 2026111609, 20261116, 20261116 (the Monday), 202611.
std::string start_digits(period_kind, base::tick t);
size_t start_digits_count(period_kind);
// The way back. Nothing when this is not exactly the start of such a period.
std::optional<base::tick> parse_start_digits(period_kind, std::string_view digits);

} // namespace tables
