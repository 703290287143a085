// Times as people write them: one that is read is the same when it is written and read again, and every reader of a date that
// says its zone means the same moment.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ticks.hh"
#include "ingest/core/syslog_date.hh"
#include "ingest/core/unix_time.hh"
#include "query/core/time_text.hh"
#include "service/core/access_policy.hh"
#include "tables/core/etag.hh"
#include "tables/core/retention_policy.hh"

namespace {

constexpr int64_t now_ns = 1'794'821'400'000'000'000;

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto tick = base::parse_time(text);
    if (tick) {
        require(base::parse_time(base::to_text(*tick)) == *tick && base::parse_inverted(base::inverted_text(*tick)) == *tick);
    }
    const auto asked = query::parse_time_ns(text, now_ns);
    if (asked) {
        require(query::parse_time_ns(query::time_text(*asked), now_ns) == *asked);
    }
    const auto sent = ingest::parse_time_text(text);
    if (tick && asked && sent) {
        require(*asked == *sent && base::tick_from_unix_ns(*asked) == *tick);
    }
    if (const auto length = query::parse_duration_ns(text)) {
        require(*length > 0);
    }
    if (const auto kept = tables::parse_length(text)) {
        require(*kept > 0 && tables::parse_length(tables::length_text(*kept)) == *kept);
    }
    (void)service::parse_access_time(text);
    auto rest = text;
    (void)ingest::take_syslog_date(rest, {.time_ns = now_ns, .utc_offset_s = 3600});
    require(rest.size() <= text.size());
    return 0;
}
