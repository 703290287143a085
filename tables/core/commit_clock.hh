// The Timestamps of a shard's commits. One value for each commit, from the wall clock in steps of a millisecond; where that would
// not be after the last one given, one tick after it. So a shard never gives a value twice, an entity's Timestamp (and ETag) always
// grows, and a clock that steps back only slows the values down until it has caught up.
#pragma once

#include <algorithm>

#include "base/ticks.hh"

namespace tables {

class commit_clock {
public:
    base::tick next(base::tick now) {
        const base::tick step{now.value - now.value % base::ticks_per_ms};
        _last = std::max(step, base::tick{_last.value + 1});
        return _last;
    }

    // Values up to this one were given before a restart, by this shard or by another that owned its partitions.
    void advance_past(base::tick given) { _last = std::max(_last, given); }
    base::tick last() const { return _last; }

private:
    base::tick _last;
};

} // namespace tables
