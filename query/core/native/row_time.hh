// Times of stored rows, and the keys that lie in a range of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ticks.hh"
#include "query/core/native/origin.hh"
#include "query/core/native/time_range.hh"
#include "tables/core/key_range.hh"

namespace query {

// Of a family's point and of a record to the nanosecond; of any other row whose key begins with an inverted tick, to the tick.
// Nothing for keys without one, and for times outside 1677..2262.
std::optional<int64_t> row_time(origin_kind, std::string_view row_key);
// The same for a key of a family or a table in two parts: its tick, and what follows it.
std::optional<int64_t> row_time(origin_kind, base::tick, std::string_view suffix);

// Where the times of rows of both kinds lie whose keys begin with these ticks and those between them. Nothing when some may have
// none.
std::optional<time_range> times_between(base::tick oldest, base::tick newest);

// The rows of one partition with a time in the range; some that are less than a tick outside may be there too. Where a side is
// open, so are the keys: rows without a time are then among them.
tables::key_range keys_of_partition(std::string_view partition_key, time_range);

} // namespace query
