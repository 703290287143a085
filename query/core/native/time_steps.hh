// How a page is looked for: the range of time cut into steps, nearest to where the page begins first. A page that is full ends
// the search.
//
// Newest first, a step ends at the beginning of a period table: rows of a partition lie newest first, and what is older costs
// nothing. So the first steps are small and each is about twice the one before.
//
// Oldest first, the steps are lengths of time: finding the oldest rows of a step means passing over all newer ones in it. How
// dense rows are nobody knows before, so each step is a trial, the first one of the whole range. One that turns out to be much
// work is given up and cut to a 64th. What counts as much is as many rows as have been looked at before, so the steps over a long
// range grow, and are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/core/native/plan.hh"
#include "query/core/native/time_range.hh"

namespace query {

// Of what one shard may do for a trial.
struct trial_bounds {
    uint64_t rows_max = 0;
    size_t partitions_max = 0;
};

class time_steps {
public:
    // `rows_max`: of the page.
    time_steps(const plan&, time_range, size_t rows_max);

    // The steps are together exactly the range, in the order of the answer. Nothing: that was all.
    std::optional<time_range> next() const;
    // Of that step, if it is a trial.
    std::optional<trial_bounds> bounds() const;
    // It is done; so many rows were looked at.
    void take(uint64_t rows_examined);
    // It was a trial and has been given up. `rows`: when tables can have any.
    void cut(time_range rows);

private:
    bool is_listed() const { return !_listed.empty(); }

    std::vector<time_range> _listed; // the steps that are left, the next one last; all below is for those that are not listed
    time_range _left;                // of the range
    time_range _span;                // outside of which there is little
    __int128 _width = 0;             // within the span; more than a time has, which may span all of 64 bits
    bool _is_over = false;
    trial_bounds _bounds;
    uint64_t _rows_examined = 0;
};

} // namespace query
