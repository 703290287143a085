// The dates of RFC 3164, which have neither a year nor a zone, and their many cousins.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ingest {

// What such a date cannot say.
struct syslog_receipt {
    int64_t time_ns = 0;      // since 1970: the year is the one that brings the date nearest to it
    int32_t utc_offset_s = 0; // of the senders' clocks, east of UTC positive
};

// Takes a date off the front of `text`, with the space behind it, and returns it in nanoseconds since 1970. Nothing, and `text`
// as it was, when there is none.
//
//   Oct 11 22:14:15          also "Oct  1", "Oct 1", a fraction of the second; Feb 29 where none is near: the time of receipt
//   Oct 11 2026 22:14:15     or the year at the end
//   *Oct 11 22:14:15 UTC:    as routers have it: a mark before, a zone (UTC and GMT are known) and a colon behind
//   2026-10-11T22:14:15Z     RFC 3339
std::optional<int64_t> take_syslog_date(std::string_view& text, const syslog_receipt&);

} // namespace ingest
