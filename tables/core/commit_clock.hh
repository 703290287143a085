// The Timestamps of a shard's commits. One value for each commit, from the wall clock in steps of a millisecond; where that would
// not be after the last one given, one tick after it. So an entity's Timestamp (and ETag) always grows, and a clock that steps
// back only slows the values down until it has caught up.
//
// Commits that are told to nobody, those of ingested points, come by the thousand in a second, and as many different values would
// take more bytes in a segment than the points themselves. They share one for some milliseconds, until somebody looks: whoever
// has seen a value of an entity finds another one after the next change.
#pragma once

#include <algorithm>

#include "base/ticks.hh"

namespace tables {

class commit_clock {
public:
    base::tick next(base::tick now) {
        const base::tick step{now.value - now.value % base::ticks_per_ms};
        _last = std::max(step, base::tick{_last.value + 1});
        _is_shared = false;
        return _last;
    }

    // Of a commit that is told to nobody.
    base::tick next_shared(base::tick now) {
        const auto age = now.value - _last.value;
        if (!_is_shared || age < 0 || age >= shared_ticks_max) {
            next(now);
            _is_shared = true;
        }
        return _last;
    }
    // Somebody may see what was given.
    void seen() { _is_shared = false; }

    // Values up to this one were given before a restart, by this shard or by another that owned its partitions.
    void advance_past(base::tick given) {
        _last = std::max(_last, given);
        _is_shared = false;
    }
    base::tick last() const { return _last; }

private:
    // So much earlier than the commit a Timestamp can be.
    static constexpr int64_t shared_ticks_max = 10 * base::ticks_per_ms;

    base::tick _last;
    bool _is_shared = false; // by all of next_shared() until somebody looks
};

} // namespace tables
