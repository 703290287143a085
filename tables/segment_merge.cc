#include "tables/segment_merge.hh"

#include <algorithm>
#include <optional>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "base/checksum.hh"
#include "shard/disk_error.hh"
#include "tables/core/resolve.hh"
#include "tables/merge_cursor.hh"

namespace tables {
namespace {

class segment_merger {
public:
    segment_merger(segment_store& store, table_ptr t, std::vector<segment_ptr> inputs, bool is_oldest, merge_limits limits,
                   merge_permission may_go_on)
        : _store(store), _table(std::move(t)), _is_oldest(is_oldest), _limits(limits), _may_go_on(std::move(may_go_on)) {
        _view.segments = std::move(inputs);
        for (const auto& s : _view.segments) {
            _sequence_min = std::min(_sequence_min, s->facts().sequence_min);
            _sequence_max = std::max(_sequence_max, s->facts().sequence_max);
            _outcome.bytes_read += s->bytes();
        }
    }

    ~segment_merger() { _store.set_merging_bytes(_written_bytes, 0); }

    seastar::future<base::expected<merge_outcome>> run() {
        auto written = co_await write();
        if (!written) {
            co_return std::unexpected(written.error());
        }
        auto done = co_await _store.exchange(_view.segments, *written);
        if (!done) {
            co_return std::unexpected(done.error());
        }
        _outcome.released = std::move(done->released);
        if (_table->is_dropped()) {
            _store.forget(_table->id());
        } else {
            _table->replace_segments(_view.segments, done->merged);
        }
        for (const auto& f : *written) {
            _outcome.bytes_written += f.bytes;
        }
        co_return _outcome;
    }

private:
    // One file, or none when nothing is left.
    seastar::future<base::expected<std::vector<written_file>>> write() {
        std::unique_ptr<segment_writer> writer;
        std::optional<base::error> failure;
        try {
            writer = co_await segment_writer::create(_store.disk(), _store.next_name());
            auto copied = co_await copy_rows(*writer);
            if (copied && writer->segments_count() > 0) {
                std::vector<written_file> files;
                files.push_back(co_await writer->finish());
                co_return files;
            }
            if (!copied) {
                failure = copied.error();
            }
        } catch (const std::exception& e) {
            failure = shard::error_of(e, "merging segments");
        }
        if (writer) {
            co_await writer->discard();
        }
        if (failure) {
            co_return std::unexpected(*failure);
        }
        co_return std::vector<written_file>();
    }

    seastar::future<base::expected<void>> copy_rows(segment_writer& writer) {
        merge_cursor cursor(_view);
        row_resolver resolver;
        cursor.seek(key_range::all());
        while (true) {
            while (cursor.is_hungry()) {
                if (auto fed = co_await cursor.feed(); !fed) {
                    co_return fed;
                }
                if (auto goes_on = look_around(writer); !goes_on) {
                    co_return goes_on;
                }
            }
            if (cursor.is_end()) {
                _outcome.fields_dropped = resolver.dropped_count();
                break;
            }
            const auto row = resolver.resolve({cursor.partition_key(), cursor.row_key()}, cursor.versions());
            if (!_is_oldest || row.kind != row_kind::remove) {
                if (writer.is_in_segment() && writer.is_segment_full()) {
                    co_await writer.end_segment();
                }
                if (!writer.is_in_segment()) {
                    writer.begin_segment(options(writer));
                }
                const auto kind = _is_oldest ? row_kind::put : row.kind;
                co_await writer.add({cursor.partition_key(), cursor.row_key(), kind, row.timestamp, row.row});
            }
            cursor.next();
            co_await seastar::coroutine::maybe_yield();
        }
        if (writer.is_in_segment()) {
            co_await writer.end_segment();
        }
        co_return base::expected<void>();
    }

    // Now and then.
    base::expected<void> look_around(const segment_writer& writer) {
        _store.set_merging_bytes(std::exchange(_written_bytes, writer.written_bytes()), writer.written_bytes());
        return _table->is_dropped() ? base::fail(base::errc::shutting_down) : _may_go_on();
    }

    segment_options options(const segment_writer& writer) const {
        return {.table = _table->id(),
                .seed = base::checksum64(writer.name(), _table->id().value),
                .sequence_min = _sequence_min,
                .sequence_max = _sequence_max,
                .placement = _store.placement(),
                .block_rows_max = _limits.block_rows_max,
                .block_raw_bytes_max = _limits.block_raw_bytes_max};
    }

    segment_store& _store;
    table_ptr _table;
    const bool _is_oldest;
    const merge_limits _limits;
    const merge_permission _may_go_on;
    read_view _view; // the inputs
    base::sequence _sequence_min{UINT64_MAX}, _sequence_max;
    uint64_t _written_bytes = 0; // as the store knows it
    merge_outcome _outcome;
};

} // namespace

seastar::future<base::expected<merge_outcome>> merge_segments(segment_store& store, table_ptr t, size_t first, size_t count,
                                                              merge_limits limits, merge_permission may_go_on) {
    const auto& all = t->segments();
    if (!t->can_merge_from(first)) {
        co_return base::fail(base::errc::invalid_argument, "a merge cannot begin there");
    }
    std::vector<segment_ptr> inputs(all.begin() + static_cast<ptrdiff_t>(first),
                                    all.begin() + static_cast<ptrdiff_t>(first + count));
    inputs.resize(store.exchangeable_count(inputs));
    const bool is_oldest = first + inputs.size() == all.size() && !t->damage();
    segment_merger merger(store, t, inputs, is_oldest, limits, std::move(may_go_on));
    co_return co_await merger.run();
}

} // namespace tables
