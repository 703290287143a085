// How a page is looked for: the range of time cut into steps, nearest to where the page begins first. A page that is full ends
// the search, so the first steps are small and each is about twice the one before.
//
// Newest first, a step ends at the beginning of a period table: rows of a partition lie newest first, and what is older costs
// nothing. Oldest first, the steps are lengths of time: finding the oldest rows of a step means passing over all newer ones in
// it.
#pragma once

#include <vector>

#include "query/core/native/plan.hh"
#include "query/core/native/time_range.hh"

namespace query {

// Together exactly the range, in the order of the answer. Never empty.
std::vector<time_range> time_steps(const plan&, time_range);

} // namespace query
