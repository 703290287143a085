// A line of the server's own log, taken apart for its record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace server {

struct log_line {
    uint8_t level = 0;     // severity
    std::string_view text; // "server - replayed 5 rows": who, and what; borrowed
};

// Of what the logger prints: "INFO  2026-11-18 01:02:03,004 [shard 0:main] server - replayed 5 rows", the first word perhaps
// coloured. Nothing for what is no such line, and for what is below info: those come by the thousand.
std::optional<log_line> parse_log_line(std::string_view line);

} // namespace server
