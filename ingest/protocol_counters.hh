// What one protocol counts on one shard, and its metrics: group "ingest", label protocol.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include <seastar/core/metrics_registration.hh>
#include <seastar/core/metrics_types.hh>

#include "ingest/core/line_fault.hh"
#include "ingest/protocol.hh"

namespace ingest {

// How long it took from the arrival of bytes until they were on stable storage.
class lag_histogram {
public:
    void add(std::chrono::steady_clock::duration);
    seastar::metrics::histogram value() const;

private:
    static constexpr size_t buckets_count = 14; // each twice the one before
    static constexpr double first_seconds = 0.000'25;

    std::array<uint64_t, buckets_count> _buckets{}; // the count of those that fit no smaller one
    uint64_t _count = 0;
    double _sum_seconds = 0;
};

struct protocol_counters {
    uint64_t connections_open = 0; // these three of TCP only
    uint64_t connections_accepted = 0;
    uint64_t connections_refused = 0;
    uint64_t bytes = 0; // as they came in; of compressed ones, inflated
    uint64_t lines = 0; // read as points or records, or rejected
    uint64_t points = 0;
    uint64_t records = 0;
    uint64_t rows_lost = 0;    // taken in, and then not stored: the sender was told, if there was a way to
    uint64_t busy_retries = 0; // batches of TCP that had to wait for the tables
    std::array<uint64_t, line_faults_count> rejected{};
    lag_histogram lag;
};

// The counters must outlive the groups.
seastar::metrics::metric_groups export_metrics(const protocol_counters&, protocol);

} // namespace ingest
