// Strong types for the numbers that must not be mixed up.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace base {

template <class Tag>
struct id {
    uint64_t value = 0;

    constexpr auto operator<=>(const id&) const = default;
};

// One incarnation of a table: a name that is dropped and created again gets another id, never an old one.
using table_id = id<struct table_tag>;

// The order of all writes of a shard; larger is newer, also across restarts and core counts. 0: before any write.
using sequence = id<struct sequence_tag>;

} // namespace base

template <class Tag>
struct std::hash<base::id<Tag>> {
    size_t operator()(base::id<Tag> i) const noexcept { return i.value * 0x9e3779b97f4a7c15ULL; }
};
