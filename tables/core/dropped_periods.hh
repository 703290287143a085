// Up to where the periods of a family were dropped, as the catalog keeps it: an attribute of the account. A late point for one of
// them must not bring its table back, on no shard and not after a restart.
#pragma once

#include <optional>
#include <string_view>

#include "base/ticks.hh"
#include "tables/core/catalog_state.hh"

namespace tables {

// Late points of a period are likely for so long after its end.
constexpr int64_t closed_after_ticks = 3600 * base::ticks_per_second;

// What lies before this has been dropped. The first tick of all when nothing has.
base::tick dropped_until(const catalog_state&, std::string_view account, std::string_view family);

// What the catalog has to be told before the table is dropped at that time. Nothing when it is no family's table or is told
// already. Whoever drops the table of a period that is over means it; that of a running one begins anew.
std::optional<attribute_edit> dropped_edit(const catalog_state&, const table_info&, base::tick now);

// Points of any time may come again.
attribute_edit forget_dropped(std::string_view account, std::string_view family);

} // namespace tables
