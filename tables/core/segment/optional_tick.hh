// A time that may not be there, as the number that segments store.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ticks.hh"

namespace tables {

inline constexpr int64_t no_tick = -1;

inline std::optional<base::tick> as_tick(int64_t value) {
    return value == no_tick ? std::nullopt : std::optional(base::tick{value});
}

inline int64_t as_int(std::optional<base::tick> t) {
    return t ? t->value : no_tick;
}

} // namespace tables
