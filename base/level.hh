// Levels of log records: an ordered enumeration, the most severe first, as in syslog.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace base {

// emerg 0, alert 1, crit 2, error 3, warning 4, notice 5, info 6, debug 7, in any case and with the usual aliases.
std::optional<int32_t> parse_level(std::string_view);
// One of those names; nothing for another number.
std::optional<std::string_view> level_name(int32_t severity);

} // namespace base
