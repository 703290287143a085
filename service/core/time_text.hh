// Ticks as the texts of the wire, written without an allocation.
#pragma once

#include "base/ticks.hh"
#include "service/core/text_sink.hh"

namespace service {

enum class fraction {
    cut,   // up to seven digits, trailing zeros and a bare dot gone: Timestamp, DateTime, ETag
    seven, // always seven: error bodies, stored access policies
};

// "2026-11-16T09:30:00.1234567Z"; `colon` stands between hours, minutes and seconds (an ETag has "%3A" there).
void put_time(text_sink&, base::tick, fraction = fraction::cut, std::string_view colon = ":");

// "11/16/2026 09:30:00", as messages about a DateTime out of range have it.
void put_us_time(text_sink&, base::tick);

} // namespace service
