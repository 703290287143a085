// A live tail: the newest rows there are, oldest first, then those that arrive, as they arrive.
//
// It subscribes to what is written on all shards before it looks at what is there. So every row is among the first, or among the
// second, or in both and then known by its keys and sent once: there is no gap and no duplicate. A row that is written again is
// not sent again, as long as it is remembered.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <seastar/core/abort_source.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>

#include "query/core/native/recent_keys.hh"
#include "query/core/native/row_decoder.hh"
#include "query/executor.hh"

namespace query {

class follower {
public:
    // Each row as JSON; `is_late` when a newer one was sent in an earlier round.
    using sink = std::function<void(std::string_view json, bool is_late)>;

    // The executor must outlive it.
    follower(executor&, request);
    follower(const follower&) = delete;

    // Looks for history; what it could not read. Call once, first.
    seastar::future<result<std::vector<damaged_range>>> begin(control&);
    // What history holds on to until the last of it is sent; then 0.
    size_t history_bytes() const { return _history ? _history->page.rows->bytes() : 0; }
    // A piece of history while there is some. Then what arrived since, once there is something, or nothing when `patience` or the
    // client has come to an end.
    seastar::future<result<void>> next(std::chrono::steady_clock::duration patience, seastar::abort_source& gone, sink);
    // Always, last.
    seastar::future<> stop();

private:
    // Rows that were there at the beginning and are not sent yet.
    struct history {
        explicit history(plan p) : planned(std::move(p)), decoder(planned) {}

        const plan planned; // before what borrows from it
        row_page page;
        row_decoder decoder;
        size_t left = 0; // rows, newest first, so the last one is next
    };

    void send_history(const sink&);
    seastar::future<> pull(unsigned shard);

    executor& _executor;
    const request _asked;
    const uint64_t _id;
    std::unique_ptr<history> _history; // null: all sent
    recent_keys _sent;
    int64_t _newest_ns = time_range::always; // of what was sent
    std::deque<std::vector<live_row>> _arrived;
    std::optional<failure> _failure;
    bool _is_stopping = false;
    seastar::condition_variable _changed;
    seastar::condition_variable _taken;
    seastar::gate _pulls;
};

} // namespace query
