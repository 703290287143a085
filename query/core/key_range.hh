// The keys that a filter leaves possible (table-service.md 5.3), so that a query reads these ranges and not the table.
#pragma once

#include <cstddef>
#include <vector>

#include "query/core/filter_ast.hh"
#include "query/core/key_cut.hh"

namespace query {

// A seek each. More than this become the one range from the first to the last.
constexpr size_t key_ranges_max = 512;
// Pairs of ranges intersected for one filter; conditions left over when they are used up narrow nothing.
constexpr size_t key_range_steps_max = 16'384;

// Ordered, apart from each other, none empty; every key that the filter can match is in one. Conditions of PartitionKey and
// RowKey with strings count, joined by `and` and `or`; RowKey only where PartitionKey is pinned; `ne` and whatever stands
// under a `not` leave everything possible. The rows found must still be filtered.
std::vector<key_range> key_ranges_of(const filter&);

// What of these ranges is also in `within`: a shared access signature's range, or what a continuation token leaves.
std::vector<key_range> intersect(const std::vector<key_range>&, const key_range& within);

} // namespace query
