// Dates of RFC 3339 that come one after the other: most are of the minute of the one before, and only seconds are left to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ingest {

class recent_minute {
public:
    // Nanoseconds since 1970, as parse_date_ns has it; nothing where that refuses.
    std::optional<int64_t> parse(std::string_view date);

private:
    std::string _minute; // "2026-10-11T22:14"
    std::string _zone;   // "Z", "+02:00"
    int64_t _begin_ns = 0;
};

} // namespace ingest
