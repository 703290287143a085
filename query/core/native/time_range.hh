// A half-open range of time, in nanoseconds since 1970.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace query {

struct time_range {
    static constexpr int64_t always = std::numeric_limits<int64_t>::min();
    static constexpr int64_t forever = std::numeric_limits<int64_t>::max();

    int64_t start_ns = always;
    int64_t end_ns = forever; // excluded

    bool operator==(const time_range&) const = default;

    bool is_empty() const { return start_ns >= end_ns; }
    bool contains(int64_t time_ns) const { return start_ns <= time_ns && time_ns < end_ns; }
    bool overlaps(const time_range& other) const { return !common(other).is_empty(); }
    time_range common(const time_range& other) const {
        return {std::max(start_ns, other.start_ns), std::min(end_ns, other.end_ns)};
    }
};

} // namespace query
