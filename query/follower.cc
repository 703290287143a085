#include "query/follower.hh"

#include <algorithm>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/as_future.hh>

#include "query/core/native/json_encoder.hh"
#include "shard/free_memory.hh"

namespace query {
namespace {

// Some 64 bytes each.
constexpr size_t keys_remembered_max = 200'000;
// Batches that wait to be sent; then those that come stay on their shards, where there is a bound.
constexpr size_t batches_max = 16;
// History that is made and sent at a time; some hundred microseconds of work.
constexpr size_t history_piece_bytes = 32 << 10;

// On all shards, for good.
uint64_t next_id() {
    static thread_local uint64_t last = 0;
    return (++last << 16) | seastar::this_shard_id();
}

} // namespace

follower::follower(executor& e, request asked)
    : _executor(e), _asked(std::move(asked)), _id(next_id()), _sent(std::max(keys_remembered_max, _asked.limit)) {}

seastar::future<result<std::vector<damaged_range>>> follower::begin(control& watch) {
    co_await _executor.container().invoke_on_all([this](executor& e) { e.subscribe(_id, _asked); });
    for (unsigned shard = 0; shard < _executor.shards_count(); ++shard) {
        // Ends with stop(); it never fails.
        (void)seastar::with_gate(_pulls, [this, shard] { return pull(shard); });
    }
    auto planned = _executor.make_plan(_asked);
    if (!planned) {
        co_return failed(planned.error());
    }
    auto found = std::make_unique<history>(std::move(*planned));
    auto newest = co_await _executor.rows(found->planned, watch);
    if (!newest) {
        co_return std::unexpected(newest.error());
    }
    auto damage = std::move(newest->facts.damage);
    found->page = std::move(*newest);
    found->left = std::min(found->page.rows->finish().size(), _asked.limit);
    if (found->left > 0) {
        _history = std::move(found);
    }
    co_return damage;
}

// A piece that is made without a pause.
void follower::send_history(const sink& send_row) {
    const auto& rows = _history->page.rows->finish();
    std::string json;
    for (size_t bytes = 0; _history->left > 0 && bytes < history_piece_bytes; bytes += json.size()) {
        const auto& row = *rows[--_history->left];
        _sent.insert(key_of(_history->planned, row));
        json.clear();
        append_json_row(_history->decoder.decode(row), json);
        send_row(json, false);
        _newest_ns = row.time_ns;
    }
    if (_history->left == 0) {
        _history = nullptr;
    }
}

seastar::future<> follower::pull(unsigned shard) {
    while (!_is_stopping) {
        auto some = co_await _executor.container().invoke_on(shard, [id = _id](executor& e) { return e.live().next(id); });
        if (some && some->empty()) {
            break;
        }
        if (some) {
            _arrived.push_back(std::move(*some));
        } else {
            _failure = some.error();
        }
        _changed.signal();
        if (_failure) {
            break;
        }
        while (_arrived.size() >= batches_max && !_is_stopping) {
            co_await _taken.wait();
        }
    }
}

seastar::future<result<void>> follower::next(std::chrono::steady_clock::duration patience, seastar::abort_source& gone,
                                             sink send_row) {
    if (_history) {
        send_history(send_row);
        co_return result<void>();
    }
    const auto woken = gone.subscribe([this]() noexcept { _changed.signal(); });
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (_arrived.empty() && !_failure && !gone.abort_requested() && std::chrono::steady_clock::now() < deadline) {
        auto waited = co_await seastar::coroutine::as_future(_changed.wait(deadline));
        waited.ignore_ready_future(); // in time or not: the loop looks
    }
    if (!_arrived.empty() && shard::is_memory_short()) {
        co_return failed({base::errc::busy, "memory is short; ask again later"}); // what it remembers grows with what it sends
    }
    std::vector<live_row> rows;
    for (auto& some : std::exchange(_arrived, {})) {
        std::ranges::move(some, std::back_inserter(rows));
    }
    _taken.broadcast();
    std::ranges::stable_sort(rows, {}, &live_row::time_ns);
    int64_t newest = _newest_ns;
    for (const auto& r : rows) {
        if (_sent.insert(r.key)) {
            send_row(r.json, r.time_ns < _newest_ns);
            newest = std::max(newest, r.time_ns);
        }
    }
    _newest_ns = newest;
    co_return _failure&& rows.empty() ? result<void>(std::unexpected(*_failure)) : result<void>();
}

seastar::future<> follower::stop() {
    _is_stopping = true;
    _taken.broadcast();
    co_await _executor.container().invoke_on_all([id = _id](executor& e) { e.live().unsubscribe(id); });
    co_await _pulls.close();
}

} // namespace query
