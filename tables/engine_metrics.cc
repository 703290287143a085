#include <seastar/core/metrics.hh>

#include "tables/engine.hh"

namespace tables {

namespace sm = seastar::metrics;

void engine::register_metrics() {
    register_row_metrics();
    register_segment_metrics();
    register_log_metrics();
}

void engine::register_row_metrics() {
    _metrics.add_group(
        "tables",
        {
            sm::make_counter("commits_total", _counters.commits_total,
                             sm::description("Transactions and blind batches committed")),
            sm::make_counter("rows_written_total", _counters.rows_written_total, sm::description("Rows of those commits")),
            sm::make_counter("refused_busy_total", _counters.refused_busy_total,
                             sm::description("Writes refused because memory was used up or too many were under way")),
            sm::make_counter("gets_total", _counters.gets_total, sm::description("Entities looked up")),
            sm::make_counter("pages_total", _counters.pages_total, sm::description("Pages of scans")),
            sm::make_gauge(
                "writes_count", [this] { return _admission.count(); }, sm::description("Transactions under way")),
            sm::make_gauge(
                "memtable_bytes", [this] { return _memtable_bytes; }, sm::description("Rows not yet in segments")),
            sm::make_gauge(
                "tables_count", [this] { return _catalog.tables_count(); }, sm::description("Tables in the catalog")),
        });
}

void engine::register_segment_metrics() {
    _metrics.add_group(
        "tables",
        {
            sm::make_counter(
                "flush_rounds_total", [this] { return _flusher->counters().rounds_total; },
                sm::description("Rounds that wrote rows from memory to segments")),
            sm::make_counter(
                "flush_failures_total", [this] { return _flusher->counters().failures_total; },
                sm::description("Rounds that failed and are tried again")),
            sm::make_counter(
                "flush_rows_total", [this] { return _flusher->counters().rows_total; },
                sm::description("Rows written to segments")),
            sm::make_counter(
                "fields_dropped_total",
                [this] { return _counters.fields_dropped_total + _flusher->counters().fields_dropped_total; },
                sm::description("Fields that would have taken an entity over its limits, dropped")),
            sm::make_counter(
                "flush_bytes_total", [this] { return _flusher->counters().bytes_total; },
                sm::description("Bytes of segment files written")),
            sm::make_counter(
                "cache_hits_total", [this] { return _store->cache().counters().hits_total; },
                sm::description("Parts of segments found decoded in memory")),
            sm::make_counter(
                "cache_misses_total", [this] { return _store->cache().counters().misses_total; },
                sm::description("Parts of segments read from disk")),
            sm::make_gauge(
                "cache_bytes", [this] { return _store->cache().counters().bytes; },
                sm::description("Decoded parts of segments in memory")),
            sm::make_gauge(
                "segment_files_count", [this] { return _store->files_count(); }, sm::description("Segment files")),
            sm::make_gauge(
                "segment_bytes", [this] { return _store->files_bytes(); }, sm::description("Bytes of all segment files")),
        });
}

void engine::register_log_metrics() {
    _metrics.add_group(
        "shard",
        {
            sm::make_counter(
                "log_records_total", [this] { return log_counters().records_count; },
                sm::description("Records appended to the log")),
            sm::make_counter(
                "log_written_bytes_total", [this] { return log_counters().written_bytes; },
                sm::description("Bytes of the log, padding included")),
            sm::make_counter(
                "log_flushes_total", [this] { return log_counters().flushes_count; }, sm::description("Flushes of the log")),
            sm::make_counter(
                "log_flush_us_total", [this] { return log_counters().flush_us; },
                sm::description("Time spent writing and flushing the log")),
            sm::make_gauge(
                "log_waiters_count", [this] { return log_counters().waiters_count; },
                sm::description("Writers that wait for a flush")),
            sm::make_gauge(
                "log_lag_us", [this] { return log_counters().lag_us; },
                sm::description("Age of the oldest write that is not durable")),
            sm::make_gauge(
                "log_files_count", [this] { return log_counters().files_count; }, sm::description("Files of the log")),
            sm::make_gauge(
                "log_has_failed", [this] { return _log && _log->has_failed() ? 1 : 0; },
                sm::description("1: takes no writes until a restart")),
        });
}

} // namespace tables
