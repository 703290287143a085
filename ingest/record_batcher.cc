#include "ingest/record_batcher.hh"

#include <algorithm>
#include <utility>

#include "base/ticks.hh"
#include "blobs/core/record_code.hh"
#include "ingest/core/limits.hh"

namespace ingest {

// What the parsers let through can be kept.
static_assert(fields_max <= blobs::fields_max);

// A clock that is wrong by more than a day would put its records before all others for as long as it is wrong.
bool record_batcher::is_ahead(const record_view& r) const {
    int64_t last = 0;
    return r.time_ns && !__builtin_add_overflow(_now_ns, future_ns_max, &last) && *r.time_ns > last;
}

// The time that was sent is kept as a field, unless there is one of that name, or no room.
std::span<const base::property> record_batcher::with_sent_time(const record_view& r) {
    if (r.fields.size() >= blobs::fields_max || std::ranges::contains(r.fields, sent_time_field, &base::property::name)) {
        return r.fields;
    }
    _fields.assign(r.fields.begin(), r.fields.end());
    _fields.push_back({sent_time_field, base::value::of_datetime(base::tick_from_unix_ns(*r.time_ns))});
    return _fields;
}

line_fault record_batcher::take(const record_view& r) {
    if (r.source.size() > blobs::source_bytes_max) {
        return line_fault::source_too_long;
    }
    const bool is_early = is_ahead(r);
    const blobs::record record{.order = {.time_ns = is_early ? _now_ns : r.time_ns.value_or(_now_ns)},
                               .level = r.level.value_or(blobs::level_none),
                               .host = r.host,
                               .app = r.app,
                               .text = r.text.empty() ? r.message : r.text,
                               .message = r.message,
                               .fields = is_early ? with_sent_time(r) : r.fields};
    if (!blobs::is_within_limits(record)) {
        return line_fault::record_too_large;
    }
    const auto sequence = _store.next_sequence(r.source);
    if (!sequence) {
        return line_fault::too_many_sources;
    }
    _builder.begin_group(r.source, seastar::this_shard_id(), *sequence);
    _builder.add(record);
    _records_ahead += is_early ? 1 : 0;
    ++_open.records_count;
    _open.raw_bytes += record.text.size() + 1;
    _open.sequence_end = std::max(_open.sequence_end, *sequence + 1);
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
