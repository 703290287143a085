// What one listener counts on one shard, and its metrics: group "http", label face.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <seastar/core/metrics_registration.hh>

namespace http {

struct counters {
    uint64_t connections_open = 0;
    uint64_t connections_accepted = 0;
    uint64_t connections_refused = 0;
    uint64_t requests = 0;
    uint64_t bytes_in = 0;
    uint64_t bytes_out = 0;
    uint64_t protocol_errors = 0;
    std::array<uint64_t, 6> replies_by_class{}; // index 2: 2xx and so on

    void count_reply(unsigned status) { ++replies_by_class[status / 100 % replies_by_class.size()]; }
};

// The counters must outlive the groups.
seastar::metrics::metric_groups export_metrics(const counters&, const std::string& face);

} // namespace http
