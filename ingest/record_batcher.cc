#include "ingest/record_batcher.hh"

#include <utility>

#include "blobs/core/record_code.hh"
#include "ingest/core/limits.hh"

namespace ingest {

// What the parsers let through can be kept.
static_assert(fields_max <= blobs::fields_max);

line_fault record_batcher::take(const record_view& r) {
    if (r.source.size() > blobs::source_bytes_max) {
        return line_fault::source_too_long;
    }
    const blobs::record record{.order = {.time_ns = r.time_ns.value_or(_now_ns)},
                               .level = r.level.value_or(blobs::level_none),
                               .host = r.host,
                               .app = r.app,
                               .text = r.text.empty() ? r.message : r.text,
                               .message = r.message,
                               .fields = r.fields};
    if (!blobs::is_within_limits(record)) {
        return line_fault::record_too_large;
    }
    const auto sequence = _store.next_sequence(r.source);
    if (!sequence) {
        return line_fault::too_many_sources;
    }
    if (_builder.is_empty() || *sequence != _next || r.source != _source) {
        _builder.begin_group(r.source, seastar::this_shard_id(), *sequence);
        _source = r.source;
    }
    _next = *sequence + 1;
    _builder.add(record);
    ++_open.records_count;
    _open.raw_bytes += record.text.size() + 1;
    _open.sequence_end = std::max(_open.sequence_end, _next);
    if (_builder.raw_bytes() >= record_batch_bytes || _builder.is_full()) {
        close_batch();
    }
    return line_fault::none;
}

void record_batcher::close_batch() {
    _open.body = seastar::make_lw_shared<const std::string>(_builder.finish(_zstd, _open.payload));
    _closed.push_back(std::exchange(_open, {}));
}

std::vector<blobs::log_batch> record_batcher::drain() {
    if (!_builder.is_empty()) {
        close_batch();
    }
    return std::exchange(_closed, {});
}

} // namespace ingest
