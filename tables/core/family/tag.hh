// One tag of a point, borrowed.
#pragma once

#include <cstddef>
#include <string_view>

namespace tables {

// Tags of one point. All of them together must fit a PartitionKey, which is the tighter bound.
constexpr size_t tags_max = 64;

struct tag {
    std::string_view name;
    std::string_view value;

    bool operator==(const tag&) const = default;
};

} // namespace tables
