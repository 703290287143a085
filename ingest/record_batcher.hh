// Log records of a shard on their way to the log store: what the streams of a shard take in goes into one batch, which is drained
// by whoever fed the stream, as points are from the router. Nothing here suspends.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "blobs/core/record_batch.hh"
#include "blobs/log_store.hh"
#include "ingest/record_sink.hh"

namespace ingest {

// A batch is closed at this size: so that nothing that is done with one in one go takes long.
constexpr size_t record_batch_bytes = size_t{512} << 10;

// What a record was said to be of, where that is more than future_ns_max after its receipt.
constexpr std::string_view sent_time_field = "sent_time";

class record_batcher final : public record_sink {
public:
    explicit record_batcher(blobs::log_store& store) : _store(store), _zstd(blobs::zstd_level_log) {}

    // The time of receipt, for records that have none or one that is too far ahead of it. Before the first record.
    void begin_piece(int64_t now_ns) { _now_ns = now_ns; }
    // Needs: a record with a source.
    line_fault take(const record_view&) override;
    // What was taken since the last call.
    std::vector<blobs::log_batch> drain();

    blobs::log_store& store() { return _store; }
    // Records that were said to be of a time too far ahead.
    uint64_t records_ahead() const { return _records_ahead; }

private:
    bool is_ahead(const record_view&) const;
    std::span<const base::property> with_sent_time(const record_view&);
    void close_batch();

    blobs::log_store& _store;
    blobs::zstd_compressor _zstd;
    blobs::record_batch_builder _builder;
    blobs::log_batch _open;
    std::vector<blobs::log_batch> _closed;
    int64_t _now_ns = 0;
    std::vector<base::property> _fields; // scratch
    uint64_t _records_ahead = 0;
};

} // namespace ingest
