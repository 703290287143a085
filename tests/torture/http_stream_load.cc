#include "tests/torture/http_stream_load.hh"

#include <fmt/format.h>

namespace torture {
namespace {

constexpr uint64_t batch_entries_max = 200;
constexpr uint64_t series_count = 8;

} // namespace

std::string line_of(const stream_place& place, uint64_t n) {
    return fmt::format("{},s={} text=\"{}\" {}\n", place.name, n % series_count, entry_text(n), place.time_ns(n));
}

std::string http_stream_load::body(uint64_t first, uint64_t count) const {
    std::string all;
    for (auto n = first; n < first + count; ++n) {
        all += place().what == stream_place::kind::family
                   ? line_of(place(), n)
                   : fmt::format("{{\"time\":{},\"level\":\"info\",\"message\":\"{}\"}}\n", place().time_ns(n), entry_text(n));
    }
    return all;
}

void http_stream_load::write(site& s, std::mt19937_64& random) {
    http_connection c(s.native_port);
    const bool is_family = place().what == stream_place::kind::family;
    const auto target = is_family ? "/write" : "/v1/logs/" + place().name;
    while (!s.is_over) {
        const auto count = 1 + random() % batch_entries_max;
        const auto first = oracle().begin_sending(count);
        const auto reply = c.send({.method = "POST",
                                   .target = target,
                                   .fields = {{"Content-Type", "application/x-ndjson"}},
                                   .body = body(first, count)});
        if (reply && reply->is_ok()) {
            oracle().acknowledged(first, count);
        } else if (!reply && s.is_over) {
            return;
        } else if (!reply || (reply->status != 503 && reply->status != 507)) {
            // A refusal may have come when some shards had taken their part already: those entries may be there.
            s.found.violated("P6", fmt::format("{}: neither taken nor refused: {}", place().name,
                                               reply ? reply->body.substr(0, 300) : "no reply"));
        }
    }
}

} // namespace torture
