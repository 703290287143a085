// What all streams of a shard share on their way to the tables: the families, the memory of the parsers, the counters, and the
// door to the engine. One on each shard; nothing of it is used elsewhere.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <seastar/core/gate.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "ingest/core/family_index.hh"
#include "ingest/core/json_reader.hh"
#include "ingest/core/point_builder.hh"
#include "ingest/core/point_router.hh"
#include "ingest/core/record_builder.hh"
#include "ingest/core/series_cache.hh"
#include "ingest/protocol_counters.hh"
#include "ingest/record_batcher.hh"
#include "ingest/record_sink.hh"
#include "tables/engine.hh"

namespace ingest {

// What a syslog message's source is.
struct syslog_naming {
    enum class what : uint8_t { app, host, fixed };
    what by = what::app;
    std::string name; // of `fixed`
};

// It may work later, and nothing was written.
bool is_passing(const base::error&);

struct intake_config {
    family_settings families;
    std::function<int64_t()> now_ns; // since 1970
    unsigned shards_count = 1;       // as the engine's
    size_t memory_bytes = 64u << 20; // of a whole shard; what is used here are fixed parts of it
    // TCP connections of all protocols on one shard. An idle one costs about 8 KiB, and two of Seastar's networking control
    // blocks (see http::server_config).
    size_t connections_max = 1024;
    syslog_naming naming;
    // Seconds east of UTC, of senders who say no zone, at a time in nanoseconds since 1970. Empty: UTC.
    std::function<int32_t(int64_t)> syslog_offset_s;
};

class intake : public seastar::peering_sharded_service<intake> {
public:
    // Without a log store, records are refused.
    intake(intake_config, seastar::sharded<tables::engine>&, blobs::log_store* = nullptr);

    // After the engine was opened. Before, is_open() is false and nothing else may be used.
    seastar::future<> open();
    seastar::future<> stop();
    bool is_open() const { return _router != nullptr; }

    // --- for streams, on this shard, without suspension in between

    // Before a piece of input: what the catalog has learnt, and the time of receipt.
    int64_t begin_piece();
    point_router& router() { return *_router; }
    series_cache& series(protocol);
    point_builder& points() { return _points; }
    json_reader& json() { return _json; }
    record_builder& record_parts() { return _record_parts; }
    record_sink& records() { return _batcher ? static_cast<record_sink&>(*_batcher) : _no_records; }
    const syslog_naming& naming() const { return _config.naming; }
    int32_t syslog_offset_s(int64_t time_ns) const { return _config.syslog_offset_s ? _config.syslog_offset_s(time_ns) : 0; }
    protocol_counters& counts(protocol p) { return _counters[static_cast<size_t>(p)]; }

    // --- for writers

    // Makes the table, or finds it made by somebody else.
    seastar::future<base::expected<base::table_id>> make_table(table_need);
    // All batches belong to `owner`; they go there in one message. Resolves when they are on stable storage; with an error some
    // of them may be.
    seastar::future<base::expected<void>> upsert(unsigned owner, std::vector<std::string> batches);
    // Records that were taken in and not drained yet; they stay on this shard.
    std::vector<blobs::log_batch> drain_records() { return _batcher ? _batcher->drain() : std::vector<blobs::log_batch>(); }
    // Resolves when it is on stable storage.
    seastar::future<base::expected<void>> append(blobs::log_batch);
    // Bytes that are on their way to tables or logs: of senders who are told when it does not work, and of those who are made to
    // wait. The second may hold theirs until a full disk has room again; the first must be able to say so at once.
    seastar::semaphore& in_flight() { return _in_flight; }
    seastar::semaphore& in_flight_waiting() { return _in_flight_waiting; }
    // Of each.
    size_t in_flight_bytes_max() const { return _in_flight_bytes_max; }
    // Bytes of lines that have begun and are longer than usual.
    seastar::semaphore& long_lines() { return _long_lines; }

    // For listeners: false when there are too many.
    bool admit_connection() { return _connections_count < _config.connections_max && ++_connections_count; }
    void release_connection() { --_connections_count; }

    // Makes the tables of the next period where they are due; a timer does this, too.
    seastar::future<> make_ahead();

private:
    seastar::future<base::expected<base::table_id>> make_table_here(table_need);
    seastar::future<base::expected<void>> upsert_here(std::vector<std::string> batches);

    const intake_config _config;
    tables::engine& _engine;
    std::unique_ptr<family_index> _families; // both nothing before open()
    std::unique_ptr<point_router> _router;
    point_builder _points;
    record_builder _record_parts;
    json_reader _json;
    rejecting_sink _no_records;
    std::optional<record_batcher> _batcher;
    series_cache _line_series, _graphite_series, _json_series;
    std::array<protocol_counters, protocols_count> _counters;
    std::vector<seastar::metrics::metric_groups> _metrics;
    const size_t _in_flight_bytes_max;
    seastar::semaphore _in_flight;
    seastar::semaphore _in_flight_waiting;
    seastar::semaphore _long_lines;
    size_t _connections_count = 0;
    seastar::semaphore _making{1}; // on shard 0: one table at a time, so that names are chosen one after the other
    seastar::timer<seastar::lowres_clock> _ahead_timer;
    seastar::gate _work;
};

} // namespace ingest
