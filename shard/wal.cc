#include "shard/wal.hh"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/util/assert.hh>
#include <seastar/util/later.hh>

#include "base/planted.hh"
#include "shard/logger.hh"

namespace shard {
namespace {

// What a record takes in a file at most: a group of its own, since its neighbours may be in others.
constexpr size_t space_of(size_t payload_bytes) {
    return wal_align(wal_record_head_bytes + payload_bytes, wal_block_bytes);
}

uint64_t microseconds_since(wal_group::clock::time_point begin) {
    using namespace std::chrono;
    return static_cast<uint64_t>(duration_cast<microseconds>(wal_group::clock::now() - begin).count());
}

} // namespace

wal::wal(disk& d, wal_config config)
    : _config(config), _files(d, {.first = {.store = config.store, .epoch = config.epoch, .shard = config.shard},
                                  .file_bytes = config.file_bytes,
                                  .can_recycle = config.can_recycle}),
      // All that is reserved at one moment must fit into one file: the ready one.
      _buffer_bytes(std::min<uint64_t>(config.buffer_bytes, config.file_bytes - wal_head_bytes)), _memory(_buffer_bytes),
      _next(config.next), _durable{config.next.value - 1}, _lazy_timer([this] { wake_flusher(); }) {
    SEASTAR_ASSERT(config.file_bytes % wal_block_bytes == 0 && config.file_bytes > wal_head_bytes);
    SEASTAR_ASSERT(config.next.value > 0);
}

seastar::future<base::expected<void>> wal::start() {
    auto started = co_await _files.start();
    if (started) {
        _flusher = flush_groups();
    }
    co_return started;
}

seastar::future<> wal::stop() {
    if (std::exchange(_is_stopping, true)) {
        co_return;
    }
    auto drained = _work.close(); // nobody new; those who hold a reservation append or drop it
    _files.request_stop();        // those who wait for a file are told
    wake_flusher();               // those who wait for memory get it
    co_await std::move(drained);
    append_end_mark();
    _is_drained = true;
    wake_flusher();
    co_await std::exchange(_flusher, seastar::make_ready_future<>());
    _lazy_timer.cancel();
    co_await _files.stop();
}

// --- reservations ---------------------------------------------------------------------------------------------------------

wal::reservation::reservation(wal& w, seastar::gate::holder holder, seastar::semaphore_units<> memory)
    : _wal(&w), _holder(std::move(holder)), _memory(std::move(memory)) {
    w._reserved_bytes += _memory.count();
}

wal::reservation::reservation(reservation&& other) noexcept
    : _wal(std::exchange(other._wal, nullptr)), _holder(std::move(other._holder)), _memory(std::move(other._memory)) {}

wal::reservation::~reservation() {
    if (_wal) {
        _wal->_reserved_bytes -= _memory.count();
    }
}

size_t wal::payload_bytes_max() const {
    return std::min(wal_payload_bytes_max, _buffer_bytes / wal_block_bytes * wal_block_bytes - wal_record_head_bytes);
}

// Whatever is reserved can be appended without a new file having to be made: it fits into the rest of the current file, or there
// is a ready one, which takes all that can be reserved at once.
bool wal::has_room(size_t bytes) const {
    if (_files.has_ready()) {
        return true;
    }
    const auto end = _open ? _open->end() : _file_end;
    return _file && end + _reserved_bytes + bytes <= _files.file_bytes();
}

seastar::future<base::expected<wal::reservation>> wal::reserve(size_t payload_bytes) {
    if (_work.is_closed()) {
        co_return base::fail(base::errc::shutting_down);
    }
    auto holder = _work.hold();
    if (payload_bytes > payload_bytes_max()) {
        co_return base::fail(base::errc::invalid_argument,
                             fmt::format("a log record of {} bytes; at most {} fit", payload_bytes, payload_bytes_max()));
    }
    const auto bytes = space_of(payload_bytes);
    auto memory = co_await seastar::get_units(_memory, bytes);
    while (true) {
        if (_failure) {
            co_return std::unexpected(*_failure);
        }
        if (_is_stopping) {
            co_return base::fail(base::errc::shutting_down);
        }
        if (has_room(bytes)) {
            co_return reservation(*this, std::move(holder), std::move(memory));
        }
        if (auto ready = co_await _files.want_ready(); !ready) {
            co_return std::unexpected(std::move(ready.error()));
        }
    }
}

// --- appending ------------------------------------------------------------------------------------------------------------

void wal::append(reservation r, base::sequence first, uint32_t sequences_count, record_kind kind,
                 std::span<const std::string_view> pieces, durability when) {
    size_t payload_bytes = 0;
    std::ranges::for_each(pieces, [&](std::string_view piece) { payload_bytes += piece.size(); });
    SEASTAR_ASSERT(space_of(payload_bytes) <= r._memory.count());
    SEASTAR_ASSERT(first == _next && sequences_count > 0 && kind != record_kind::end_mark);
    if (!_failure) {
        auto& group = group_for(wal_record_head_bytes + payload_bytes);
        group.append_record(first, sequences_count, kind, pieces);
        group.is_urgent |= when == durability::urgent;
        group.file->last = group.last;
        r._wal->_reserved_bytes -= r._memory.count();
        r._wal = nullptr;
        group.memory.adopt(std::move(r._memory));
        ++_counters.records_count;
        _counters.payload_bytes += payload_bytes;
    }
    _next.value += sequences_count;
    wake_flusher();
}

// The group that the next record goes to. A group lies in one file, so the last one of a file may stay short.
wal_group& wal::group_for(size_t record_bytes) {
    if (_open && _open->next_position() + record_bytes <= _files.file_bytes()) {
        return *_open;
    }
    close_group();
    if (_file && _file_end + record_bytes > _files.file_bytes()) {
        end_file();
    }
    return begin_group();
}

wal_group& wal::begin_group() {
    const bool begins_file = !_file;
    if (begins_file) {
        SEASTAR_ASSERT(_files.has_ready()); // reserve() saw to it
        _file = _files.take();
        _file_end = 0;
    }
    _groups.push_back(std::make_unique<wal_group>(_pieces, _file, _file_end, base::sequence{_next.value - 1}));
    _open = _groups.back().get();
    _open->memory = {_memory, 0};
    if (begins_file) {
        _open->append_file_header({_file->id, _next, _previous_number, _previous_end});
    }
    return *_open;
}

void wal::close_group() {
    if (_open) {
        _file_end = _open->end();
        _open = nullptr;
    }
}

void wal::end_file() {
    if (!_file) {
        return;
    }
    _previous_number = _file->id.number;
    _previous_end = _file_end;
    _file->is_full = true;
    if (_file->groups_pending == 0) {
        _files.seal(_file);
    }
    _file = nullptr;
}

// In a group of its own, so that it speaks for all the others. Not worth a file of its own.
void wal::append_end_mark() {
    close_group();
    if (!_failure && _file && _file_end + wal_block_bytes <= _files.file_bytes()) {
        begin_group().append_record(_next, 0, record_kind::end_mark, {});
    }
}

// --- flushing -------------------------------------------------------------------------------------------------------------

// A lazy group waits for company until it is old enough or half of the buffer is in use.
bool wal::is_due() const {
    if (_groups.empty()) {
        return false;
    }
    const auto& front = *_groups.front();
    return front.is_urgent || &front != _open || _is_stopping || _memory.current() < _buffer_bytes / 2 ||
           wal_group::clock::now() >= front.begun + _config.lazy_flush_after;
}

void wal::wake_flusher() {
    if (is_due() || _is_drained) {
        _due.signal();
    } else if (!_groups.empty() && !_lazy_timer.armed()) {
        _lazy_timer.arm(_groups.front()->begun + _config.lazy_flush_after);
    }
}

seastar::future<> wal::flush_groups() {
    while (!_failure) {
        co_await _due.wait([this] { return is_due() || (_is_drained && _groups.empty()); });
        if (_groups.empty()) {
            co_return;
        }
        co_await flush_front();
        // Those who waited for that group append their next records now, so that the next group holds all of them and not
        // every other one.
        co_await seastar::yield();
        wake_flusher();
    }
}

seastar::future<> wal::flush_front() {
    auto& group = *_groups.front();
    if (&group == _open) {
        close_group();
    }
    const auto begin = wal_group::clock::now();
    try {
        co_await group.write_and_flush();
        _counters.flush_us += microseconds_since(begin);
        finish_front();
    } catch (const std::exception& e) {
        fail(e);
    }
}

void wal::finish_front() {
    const auto group = std::move(_groups.front());
    _groups.pop_front();
    _durable = group->last;
    ++_counters.flushes_count;
    _counters.written_bytes += group->bytes();
    _counters.waiters_count -= group->waiters.size();
    if (--group->file->groups_pending == 0 && group->file->is_full) {
        _files.seal(group->file);
    }
    group->tell_waiters({});
}

void wal::fail(const std::exception& e) {
    _failure = {base::errc::log_failed, fmt::format("{}: {}", _groups.front()->file->path, e.what())};
    logger.error("the log of shard {} failed, nothing more is acknowledged: {}", _config.shard, _failure->detail);
    _open = nullptr;
    for (; !_groups.empty(); _groups.pop_front()) {
        _counters.waiters_count -= _groups.front()->waiters.size();
        _groups.front()->tell_waiters(std::unexpected(*_failure));
    }
}

seastar::future<base::expected<void>> wal::wait_durable(base::sequence sequence) {
    SEASTAR_ASSERT(sequence < _next);
    if (sequence <= _durable || base::planted(base::bug::acknowledge_before_flush)) {
        return seastar::make_ready_future<base::expected<void>>();
    }
    if (_failure) {
        return seastar::make_ready_future<base::expected<void>>(std::unexpected(*_failure));
    }
    const auto group = std::ranges::find_if(_groups, [&](const auto& g) { return sequence <= g->last; });
    auto& waiters = (*group)->waiters;
    (*group)->is_urgent = true;
    wake_flusher();
    ++_counters.waiters_count;
    waiters.emplace_back();
    return waiters.back().get_future();
}

// --- the rest -------------------------------------------------------------------------------------------------------------

seastar::future<base::expected<std::vector<std::string>>> wal::hold() {
    if (_work.is_closed()) {
        co_return base::fail(base::errc::shutting_down);
    }
    const auto holder = _work.hold();
    _files.hold();
    base::expected<void> outcome = _failure ? std::unexpected(*_failure) : base::expected<void>();
    while (outcome && _file && !_files.has_ready()) { // what is reserved already needs another file then
        outcome = co_await _files.want_ready();
    }
    if (outcome) {
        close_group();
        end_file();
        const auto last_file = _previous_number;
        outcome = co_await wait_durable({_next.value - 1});
        if (outcome) {
            co_return _files.link_sealed(last_file);
        }
    }
    _files.unhold();
    co_return std::unexpected(std::move(outcome.error()));
}

wal_counters wal::counters() const {
    auto counters = _counters;
    counters.files_count = _files.files_count();
    counters.buffered_bytes = _buffer_bytes - _memory.current();
    counters.lag_count = _next.value - 1 - _durable.value;
    counters.lag_us = _groups.empty() ? 0 : microseconds_since(_groups.front()->begun);
    return counters;
}

} // namespace shard
