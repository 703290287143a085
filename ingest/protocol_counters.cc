#include "ingest/protocol_counters.hh"

#include <seastar/core/metrics.hh>

namespace ingest {

namespace sm = seastar::metrics;

void lag_histogram::add(std::chrono::steady_clock::duration lag) {
    const double seconds = std::chrono::duration<double>(lag).count();
    ++_count;
    _sum_seconds += seconds;
    double bound = first_seconds;
    for (auto& bucket : _buckets) {
        if (seconds <= bound) {
            ++bucket;
            return;
        }
        bound *= 2;
    }
}

sm::histogram lag_histogram::value() const {
    sm::histogram h;
    h.sample_count = _count;
    h.sample_sum = _sum_seconds;
    uint64_t below = 0;
    double bound = first_seconds;
    for (const auto bucket : _buckets) {
        below += bucket;
        sm::histogram_bucket b;
        b.count = below;
        b.upper_bound = bound;
        h.buckets.push_back(b);
        bound *= 2;
    }
    return h;
}

sm::metric_groups export_metrics(const protocol_counters& counts, protocol p) {
    const auto of_protocol = sm::label("protocol")(std::string(name(p)));
    const auto total = [&](const char* name, const uint64_t& value, const char* help) {
        return sm::make_counter(name, [&value] { return value; }, sm::description(help), {of_protocol});
    };
    sm::metric_groups groups;
    groups.add_group("ingest",
                     {total("lines_total", counts.lines, "lines that came in, rejected ones too"),
                      total("points_total", counts.points, "points that were taken in"),
                      total("records_total", counts.records, "log records that were taken in"),
                      total("bytes_total", counts.bytes, "bytes that came in, inflated"),
                      total("rows_lost_total", counts.rows_lost, "rows that could not be stored"),
                      total("busy_retries_total", counts.busy_retries, "batches that waited because the tables were busy"),
                      sm::make_histogram("durable_lag_seconds", sm::description("from arrival to stable storage"), {of_protocol},
                                         [&counts] { return counts.lag.value(); })});
    if (p != protocol::line_http && p != protocol::logs_http) {
        groups.add_group("ingest", {sm::make_gauge("connections_open", [&counts] { return counts.connections_open; },
                                                   sm::description("connections now open"), {of_protocol}),
                                    total("connections_accepted_total", counts.connections_accepted, "connections accepted"),
                                    total("connections_refused_total", counts.connections_refused,
                                          "connections over the limit, closed at once")});
    }
    for (size_t i = 1; i < line_faults_count; ++i) {
        groups.add_group("ingest",
                         {sm::make_counter("rejected_total", [&value = counts.rejected[i]] { return value; },
                                           sm::description("lines that were not taken, by reason"),
                                           {of_protocol, sm::label("reason")(std::string(name(static_cast<line_fault>(i))))})});
    }
    return groups;
}

} // namespace ingest
