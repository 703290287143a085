// What clocks show that say no zone: the dates of RFC 3164.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.hh"

namespace server {

// Seconds east of UTC, at a time in nanoseconds since 1970.
using utc_offset = std::function<int32_t(int64_t time_ns)>;

// UTC, an offset like +02:00, or a name of the machine's zone database like Europe/Vienna, which knows of summer time.
base::expected<utc_offset> find_zone(const std::string& text);

} // namespace server
