// Unix times as people send them: the number of digits before the point tells the unit. Up to 11 are seconds, up to 14
// milliseconds, up to 17 microseconds, more are nanoseconds: unambiguous for the years 1973 to 5138.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "ingest/core/line_fault.hh"

namespace ingest {

// Nanoseconds since 1970, or time_out_of_range.
std::expected<int64_t, line_fault> unix_time_ns(int64_t number);

// [-] digits [. digits]: digits of less than a nanosecond are cut. Also invalid_time.
std::expected<int64_t, line_fault> unix_time_ns(std::string_view text);

// As its shortest text, so that 1730000000.123456 has its microseconds and no more.
std::expected<int64_t, line_fault> unix_time_ns(double number);

// A date as base::parse_time has it (RFC 3339 and a little more), with nine digits of fraction. invalid_time, time_out_of_range.
std::expected<int64_t, line_fault> parse_date_ns(std::string_view text);

// Either: a Unix time or a date.
std::expected<int64_t, line_fault> parse_time_text(std::string_view text);

} // namespace ingest
