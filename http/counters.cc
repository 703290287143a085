#include "http/counters.hh"

#include <fmt/format.h>
#include <seastar/core/metrics.hh>

namespace http {

namespace sm = seastar::metrics;

sm::metric_groups export_metrics(const counters& counts, const std::string& face) {
    const auto of_face = sm::label("face")(face);
    const auto total = [&](const char* name, const uint64_t& value, const char* help) {
        return sm::make_counter(name, [&value] { return value; }, sm::description(help), {of_face});
    };
    sm::metric_groups groups;
    groups.add_group(
        "http",
        {sm::make_gauge("connections_open", [&counts] { return counts.connections_open; },
                        sm::description("connections now open"), {of_face}),
         total("connections_accepted_total", counts.connections_accepted, "connections accepted"),
         total("connections_refused_total", counts.connections_refused, "connections over the limit, answered 503 or closed"),
         total("requests_total", counts.requests, "requests whose head was understood"),
         total("received_bytes_total", counts.bytes_in, "bytes read from clients"),
         total("sent_bytes_total", counts.bytes_out, "bytes written to clients"),
         total("protocol_errors_total", counts.protocol_errors, "requests that broke the protocol, a limit or a deadline")});
    for (size_t hundred = 1; hundred < counts.replies_by_class.size(); ++hundred) {
        groups.add_group("http", {sm::make_counter("replies_total", [&value = counts.replies_by_class[hundred]] { return value; },
                                                   sm::description("replies by class of status"),
                                                   {of_face, sm::label("class")(fmt::format("{}xx", hundred))})});
    }
    return groups;
}

} // namespace http
