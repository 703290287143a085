#include "tables/flusher.hh"

#include <algorithm>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/switch_to.hh>

#include "base/checksum.hh"
#include "shard/disk_error.hh"
#include "tables/core/resolve.hh"
#include "tables/engine.hh"
#include "tables/logger.hh"

namespace tables {
namespace {

constexpr auto retry_after = std::chrono::seconds(1);
constexpr auto age_checks_every = std::chrono::seconds(1);
constexpr uint64_t replay_share_min = 4; // of the budget: a round writes at least this part of it

void tell(std::vector<seastar::promise<base::expected<void>>> waiters, const base::expected<void>& outcome) {
    for (auto& w : waiters) {
        w.set_value(outcome);
    }
}

} // namespace

flusher::flusher(engine& e, flush_config config) : _engine(e), _config(config), _age_timer([this] { wake_if_due(); }) {}

void flusher::start() {
    _age_timer.arm_periodic(age_checks_every);
    _fiber = run();
}

seastar::future<> flusher::stop() {
    _is_stopping = true;
    _stopping.request_abort();
    _age_timer.cancel();
    _due.signal();
    _room.broadcast();
    co_await std::exchange(_fiber, seastar::make_ready_future<>());
    _frozen.clear(); // they hold files
}

bool flusher::is_due() const {
    const auto bytes = _engine._memtable_bytes - _frozen_bytes;
    return bytes >= _config.memtable_bytes || (_oldest && clock::now() - *_oldest >= _config.age) ||
           (_engine._log && _engine._log->written_bytes() - _log_bytes_at_freeze >= _config.log_bytes);
}

void flusher::wake_if_due() {
    if (!_oldest && _engine._memtable_bytes > _frozen_bytes) {
        _oldest = clock::now();
    }
    if (is_due()) {
        _is_wanted = true;
        _due.signal();
    }
}

void flusher::wake() {
    if (_engine._memtable_bytes > _frozen_bytes + _config.own_file_bytes) {
        _is_wanted = true;
        _due.signal();
    }
}

seastar::future<base::expected<void>> flusher::flush() {
    if (_is_stopping) {
        return seastar::make_ready_future<base::expected<void>>(base::fail(base::errc::shutting_down));
    }
    _is_wanted = true;
    _due.signal();
    return _waiters.emplace_back().get_future();
}

seastar::future<bool> flusher::wait_for_room(std::chrono::milliseconds patience) {
    _is_wanted = true;
    _due.signal();
    try {
        co_await _room.wait(patience);
        co_return true;
    } catch (const seastar::condition_variable_timed_out&) {
        co_return false;
    }
}

seastar::future<> flusher::run() {
    co_await seastar::coroutine::switch_to(_config.group);
    while (true) {
        co_await _due.wait([this] { return _is_wanted || _is_stopping; });
        if (_is_stopping) {
            tell(std::exchange(_waiters, {}), base::fail(base::errc::shutting_down));
            co_return;
        }
        _is_wanted = false;
        auto waiters = std::exchange(_waiters, {}); // those who come later wait for the next round
        const bool is_rest = !_frozen.empty();
        auto done = co_await round();
        if (done && is_rest) {
            done = co_await round(); // the first has written only what was frozen when it failed before
        }
        tell(std::move(waiters), done);
        _room.broadcast();
        if (!done) {
            _is_wanted = true;
            co_await seastar::sleep_abortable(retry_after, _stopping).handle_exception_type([](const seastar::sleep_aborted&) {});
        }
    }
}

seastar::future<base::expected<void>> flusher::round() {
    if (_frozen.empty()) {
        freeze();
    }
    auto written = co_await write_and_publish();
    if (!written) {
        ++_counters.failures_total;
        if (!_failure) {
            logger.warn("rows stay in memory and in the log, another attempt follows: {}", base::to_string(written.error()));
        }
        _failure = written.error();
        co_return std::unexpected(written.error());
    }
    ++_counters.rounds_total;
    _failure.reset();
    if (!_engine._log) {
        for (auto& rows : *written) {
            co_await free_in_steps(std::move(rows)); // what is read next needs the memory
        }
        co_return base::expected<void>();
    }
    for (auto& rows : *written) {
        _engine.retire(std::move(rows));
    }
    if (_frozen_mark.epoch != 0) {
        _engine._rows_in_segments = _frozen_upto;
    }
    _engine.release_log();
    co_return base::expected<void>();
}

// What a round could give back has to be worth it: the memtables of many tables take something while they are empty.
bool flusher::is_replay_due(size_t bytes) const {
    const auto budget = _engine._config.memtable_bytes_max;
    const auto taken = _engine._memtable_bytes;
    return !_failure && taken + bytes > budget && taken - std::min(taken, _bytes_after_freeze) >= budget / replay_share_min;
}

seastar::future<base::expected<void>> flusher::flush_replayed() {
    const bool is_rest = !_frozen.empty();
    auto done = co_await round();
    if (done && is_rest) {
        done = co_await round();
    }
    co_return done;
}

// Without suspending: the sequence divides exactly what is frozen from what is not.
void flusher::freeze() {
    for (auto& [id, t] : _engine._tables) {
        if (!t->rows().empty()) {
            t->freeze();
            _frozen.push_back(t);
            _frozen_bytes += t->frozen()->bytes();
            _engine._memtable_bytes += t->rows().bytes();
        }
    }
    _bytes_after_freeze = _engine._memtable_bytes - _frozen_bytes;
    if (!_engine._log) {
        place_replayed();
        return;
    }
    _frozen_upto = base::sequence{_engine._log->next().value - 1};
    _frozen_mark = {_engine._epoch, _engine._config.shards_count, _frozen_upto};
    _log_bytes_at_freeze = _engine._log->written_bytes();
    _oldest.reset();
}

// Above all that was written before, for what is in memory is newer. There is no mark: logs of several shards are read side by
// side, and no sequence divides what is frozen from what is not.
void flusher::place_replayed() {
    ++_frozen_upto.value;
    for (const auto& t : _frozen) {
        _frozen_upto = std::max(_frozen_upto, t->frozen()->facts().sequence_max);
    }
    _frozen_mark = {};
}

// The memtables that are in segments now.
seastar::future<base::expected<std::vector<memtable_ptr>>> flusher::write_and_publish() {
    // Segments must not know more than the log: after a failed flush only what was durable may be seen.
    if (auto durable = co_await _engine.wait_readable(_frozen_upto); !durable) {
        co_return std::unexpected(durable.error());
    }
    const bool must_mark = _is_mark_due && _frozen_mark.epoch != 0;
    if (_frozen.empty() && !must_mark) {
        co_return std::vector<memtable_ptr>();
    }
    std::vector<written_file> files;
    try {
        files = co_await write();
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, "writing rows to segments"));
    }
    auto segments = co_await _engine._store->publish(files, _frozen_mark);
    if (!segments) {
        co_return std::unexpected(segments.error());
    }
    _is_mark_due = _frozen_mark.epoch == 0;
    for (const auto& f : files) {
        ++_counters.files_total;
        _counters.bytes_total += f.bytes;
    }
    co_return replace_frozen(*segments);
}

void flusher::forget(const table& dropped) {
    if (dropped.frozen()) {
        _frozen_bytes -= dropped.frozen()->bytes();
    }
}

std::vector<memtable_ptr> flusher::replace_frozen(const std::vector<segment_ptr>& segments) {
    std::vector<memtable_ptr> replaced;
    for (auto& t : std::exchange(_frozen, {})) {
        if (t->is_dropped()) {
            _engine._store->forget(t->id());
            continue;
        }
        std::vector<segment_ptr> own;
        std::ranges::copy_if(segments, std::back_inserter(own), [&](const auto& s) { return s->facts().table == t->id(); });
        replaced.push_back(t->replace_frozen(own));
        _engine._memtable_bytes -= replaced.back()->bytes();
    }
    _frozen_bytes = 0;
    return replaced;
}

// --- writing ---------------------------------------------------------------------------------------------------------------

// Throws; then nothing is left of it.
seastar::future<std::vector<written_file>> flusher::write() {
    std::vector<written_file> done;
    std::unique_ptr<segment_writer> own, shared;
    std::exception_ptr failure;
    try {
        for (size_t i = 0; i < _frozen.size(); ++i) {
            const auto t = _frozen[i];
            if (t->is_dropped()) {
                continue;
            }
            auto& writer = t->frozen()->bytes() >= _config.own_file_bytes ? own : shared;
            if (!writer) {
                writer = co_await segment_writer::create(_engine._store->disk(), _engine._store->next_name());
            }
            co_await write_table(*writer, t);
            if (&writer == &own || writer->segments_count() >= segment_directory::segments_max) {
                co_await finish(writer, done);
            }
        }
        if (shared) {
            co_await finish(shared, done);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        if (own) {
            co_await own->discard();
        }
        if (shared) {
            co_await shared->discard();
        }
        co_await _engine._store->discard(std::move(done));
        std::rethrow_exception(failure);
    }
    co_return done;
}

// Tables that had nothing but tombstones leave an empty file.
seastar::future<> flusher::finish(std::unique_ptr<segment_writer>& writer, std::vector<written_file>& done) {
    if (writer->segments_count() == 0) {
        co_await writer->discard();
    } else {
        done.push_back(co_await writer->finish());
    }
    writer = nullptr;
}

// A frozen memtable does not change any more, and the table holds it until this round ends or the table is dropped: that can have
// happened while the file was made.
seastar::future<> flusher::write_table(segment_writer& writer, table_ptr t) {
    const auto rows = t->frozen();
    if (!rows) {
        co_return;
    }
    // With nothing older anywhere, a merge is the whole entity and a tombstone hides nothing.
    const bool is_oldest = t->segments().empty() && !t->damage();
    memtable::cursor cursor(*rows, base::sequence{UINT64_MAX});
    row_resolver resolver;
    for (cursor.seek({}, {}); !cursor.is_end(); cursor.next()) {
        const auto row = resolver.resolve({cursor.partition_key(), cursor.row_key()}, cursor.versions());
        if (is_oldest && row.kind == row_kind::remove) {
            continue;
        }
        if (writer.is_in_segment() && writer.is_segment_full()) {
            co_await writer.end_segment();
        }
        if (!writer.is_in_segment()) {
            writer.begin_segment({.table = t->id(),
                                  .seed = base::checksum64(writer.name(), t->id().value),
                                  .sequence_min = rows->facts().sequence_min,
                                  // Segments are ordered by this. Rows of an earlier start come with sequences that another shard
                                  // has counted; beside a file with rows of several shards those say nothing.
                                  .sequence_max = std::max(rows->facts().sequence_max, _frozen_upto),
                                  .placement = _engine.placement(),
                                  .block_rows_max = _config.block_rows_max,
                                  .block_raw_bytes_max = _config.block_raw_bytes_max});
        }
        const auto kind = is_oldest ? row_kind::put : row.kind;
        co_await writer.add({cursor.partition_key(), cursor.row_key(), kind, row.timestamp, row.row});
        ++_counters.rows_total;
        co_await seastar::coroutine::maybe_yield();
    }
    _counters.fields_dropped_total += rows->facts().dropped_properties_count + resolver.dropped_count();
    if (writer.is_in_segment()) {
        co_await writer.end_segment();
    }
}

} // namespace tables
