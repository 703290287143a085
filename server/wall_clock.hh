// Where the parts of a server have the time of day from.
#pragma once

#include <chrono>

#include "base/ticks.hh"

namespace server {

inline base::tick wall_clock() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return base::tick_from_unix_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

} // namespace server
