#include "blobs/sealer.hh"

#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/switch_to.hh>

#include "blobs/log_store.hh"
#include "blobs/logger.hh"
#include "shard/disk_error.hh"

namespace blobs {
namespace {

constexpr auto retry_after = std::chrono::seconds(1);
// Often: others fill the log meanwhile.
constexpr auto checks_every = std::chrono::milliseconds(100);

void tell(std::vector<seastar::promise<base::expected<void>>> waiters, const base::expected<void>& outcome) {
    for (auto& w : waiters) {
        w.set_value(outcome);
    }
}

} // namespace

sealer::sealer(log_store& s) : _store(s), _block(zstd_level_seal), _age_timer([this] { wake_if_due(); }) {}

void sealer::start() {
    _age_timer.arm_periodic(checks_every);
    _fiber = run();
}

seastar::future<> sealer::stop() {
    _is_stopping = true;
    if (!_stopping.abort_requested()) {
        _stopping.request_abort();
    }
    _age_timer.cancel();
    _due.signal();
    _room.broadcast();
    co_await std::exchange(_fiber, seastar::make_ready_future<>());
    _frozen.clear();
}

// A few records hold all of the log that came after them.
bool sealer::is_due() const {
    const auto bytes = _store._buffer_bytes - _frozen_bytes;
    const auto log_growth = _store._services->log.written_bytes() - _log_bytes_at_freeze;
    return bytes >= _store._config.seal_bytes || (bytes > 0 && log_growth >= _store._config.log_bytes) ||
           (_oldest && clock::now() - *_oldest >= _store._config.seal_age);
}

void sealer::wake_if_due() {
    if (!_oldest && _store._buffer_bytes > _frozen_bytes) {
        _oldest = clock::now();
    }
    if (is_due()) {
        _is_wanted = true;
        _due.signal();
    }
}

void sealer::wake() {
    if (_store._buffer_bytes > _frozen_bytes + _store._config.own_file_bytes) {
        _is_wanted = true;
        _due.signal();
    }
}

seastar::future<base::expected<void>> sealer::seal() {
    if (_is_stopping) {
        return seastar::make_ready_future<base::expected<void>>(base::fail(base::errc::shutting_down));
    }
    _is_wanted = true;
    _due.signal();
    return _waiters.emplace_back().get_future();
}

seastar::future<bool> sealer::wait_for_room(std::chrono::milliseconds patience) {
    _is_wanted = true;
    _due.signal();
    try {
        co_await _room.wait(patience);
        co_return true;
    } catch (const seastar::condition_variable_timed_out&) {
        co_return false;
    }
}

seastar::future<> sealer::run() {
    co_await seastar::coroutine::switch_to(_store._config.group);
    while (true) {
        co_await _due.wait([this] { return _is_wanted || _is_stopping; });
        if (_is_stopping) {
            tell(std::exchange(_waiters, {}), base::fail(base::errc::shutting_down));
            co_return;
        }
        _is_wanted = false;
        auto waiters = std::exchange(_waiters, {}); // those who come later wait for the next round
        // What is frozen from a failed attempt is sealed first; what came since is what the waiters ask for.
        const bool had_frozen = has_frozen();
        auto done = co_await round();
        if (done && had_frozen && !waiters.empty()) {
            done = co_await round();
        }
        tell(std::move(waiters), done);
        _room.broadcast();
        if (!done) {
            _is_wanted = true;
            co_await seastar::sleep_abortable(retry_after, _stopping).handle_exception_type([](const seastar::sleep_aborted&) {});
        }
    }
}

seastar::future<base::expected<void>> sealer::seal_replayed(uint64_t bytes_over) {
    const auto turn = co_await seastar::get_units(_replay_turn, 1);
    if (_store._buffer_bytes <= bytes_over) {
        co_return base::expected<void>();
    }
    const bool had_frozen = has_frozen();
    auto done = co_await round();
    if (done && had_frozen) {
        done = co_await round();
    }
    co_return done;
}

seastar::future<base::expected<void>> sealer::round() {
    if (_frozen.empty()) {
        freeze();
    }
    auto done = co_await write_and_publish();
    if (done) {
        ++_counters.rounds_total;
        _failure.reset();
        if (_frozen_marks.flushed.epoch != 0) {
            _store.sealed_upto(_frozen_upto);
        }
    } else {
        ++_counters.failures_total;
        if (!_failure) {
            logger.warn("records stay in memory and in the log, another attempt follows: {}", base::to_string(done.error()));
        }
        _failure = done.error();
    }
    co_return done;
}

// Without suspending: the sequence divides exactly what is frozen from what is not.
void sealer::freeze() {
    for (auto& [name, source] : _store._sources) {
        for (auto& [period, records] : source->open) {
            _frozen.push_back({source, period, records});
        }
        source->frozen = std::exchange(source->open, {});
    }
    _store._open_buffers_count = 0;
    _frozen_bytes = _store._buffer_bytes;
    if (!_store._services) {
        _frozen_marks = {.flushed = {}, .lanes = _store.replayed_lanes()};
        return;
    }
    const auto& services = *_store._services;
    _frozen_upto = base::sequence{_store.first_not_in_buffers().value - 1};
    _frozen_marks = {.flushed = {services.epoch, services.shards_count, _frozen_upto}, .lanes = {}};
    _log_bytes_at_freeze = services.log.written_bytes();
    _oldest.reset();
}

seastar::future<base::expected<void>> sealer::write_and_publish() {
    if (_frozen.empty()) {
        co_return base::expected<void>();
    }
    std::vector<written_file> files;
    try {
        files = co_await write();
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, "writing records to blobs"));
    }
    auto blobs = co_await _store._files.publish(*_store._disk, *_store._own_manifest, files, _frozen_marks, {});
    if (!blobs) {
        co_return std::unexpected(blobs.error());
    }
    for (const auto& f : files) {
        ++_counters.files_total;
        _counters.bytes_total += f.bytes;
    }
    _counters.blobs_total += blobs->size();
    replace_frozen(std::move(*blobs));
    co_return base::expected<void>();
}

// In one go: a search finds each record in a buffer or in a blob, never in both.
void sealer::replace_frozen(std::vector<blob_ptr> blobs) {
    for (auto& b : blobs) {
        _store.add_blob(std::move(b));
    }
    for (auto& f : std::exchange(_frozen, {})) {
        f.source->frozen.erase(f.period);
    }
    _store._buffer_bytes -= std::exchange(_frozen_bytes, 0);
}

// --- writing ---------------------------------------------------------------------------------------------------------------

// Throws; then nothing is left of it.
seastar::future<std::vector<written_file>> sealer::write() {
    std::vector<written_file> done;
    std::exception_ptr failure;
    try {
        for (size_t i = 0; i < _frozen.size(); ++i) {
            co_await write_one(_frozen[i], done);
        }
        if (_shared) {
            co_await finish(_shared, done);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        for (auto* writer : {&_own, &_shared}) {
            if (auto unfinished = std::exchange(*writer, nullptr)) {
                co_await unfinished->discard();
            }
        }
        co_await blob_files::remove(*_store._disk, std::move(done));
        std::rethrow_exception(failure);
    }
    co_return done;
}

// A blob's counter is its file's, so one file has a source and period once; a buffer is one of them.
seastar::future<> sealer::write_one(const frozen_buffer& f, std::vector<written_file>& done) {
    const bool is_own = f.records->raw_bytes() >= _store._config.own_file_bytes;
    if (is_own || !_shared) {
        auto id = _store._files.next_id(*_store._own_manifest);
        auto& writer = is_own ? _own : _shared;
        writer = co_await blob_writer::create(*_store._disk, std::move(id.name));
        if (is_own) {
            co_await write_blob(*_own, id.counter, f);
            co_await finish(_own, done);
            co_return;
        }
        _shared_counter = id.counter;
    }
    co_await write_blob(*_shared, _shared_counter, f);
    if (_shared->is_full()) {
        co_await finish(_shared, done);
    }
}

seastar::future<> sealer::finish(std::unique_ptr<blob_writer>& writer, std::vector<written_file>& done) {
    done.push_back(co_await writer->finish());
    writer = nullptr;
}

// A frozen buffer gets no more records, and the source holds it until this round ends.
seastar::future<> sealer::write_blob(blob_writer& writer, uint64_t counter, const frozen_buffer& f) {
    f.records->sort();
    writer.begin_blob({f.source->name, period_start(f.period), counter}, f.records->raw_bytes(), _block);
    std::vector<base::property> fields;
    for (size_t i = 0; i < f.records->size(); ++i) {
        co_await writer.add(f.records->read(i, fields));
        co_await seastar::coroutine::maybe_yield();
    }
    co_await writer.end_blob();
}

} // namespace blobs
