// The least and the greatest of some integers. std::ranges::minmax compares in pairs and branches, which costs ten times as much
// where the order of neighbours cannot be foreseen.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>

namespace tables::codec {

struct extremes {
    int64_t least;
    int64_t most;
};

// Needs: at least one value.
inline extremes extremes_of(std::span<const int64_t> values) {
    assert(!values.empty());
    extremes e{values.front(), values.front()};
    for (const int64_t v : values) {
        e.least = std::min(e.least, v);
        e.most = std::max(e.most, v);
    }
    return e;
}

} // namespace tables::codec
