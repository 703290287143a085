// GET /v1/tail, /v1/range and the listings: requests in, streamed answers out; and the deletion of rows. One on each shard, over
// that shard's executor.
#pragma once

#include "http/router.hh"
#include "query/core/native/encoder.hh"
#include "query/executor.hh"
#include "query/follower.hh"

namespace query {

// Live tails of one shard: each remembers what it has sent last.
constexpr size_t followers_max = 64;

class http_face {
public:
    explicit http_face(seastar::sharded<executor>& executors)
        : _executor(executors.local()), _unread_bytes(_executor.config().budgets.memory_bytes_max) {}
    seastar::future<> stop() { return seastar::make_ready_future<>(); }

    // The face must outlive the router.
    void add_routes(http::router&);

private:
    enum class list_kind : uint8_t { families, series, tags, fields };

    seastar::future<> answer_rows(verb, http::request&, http::reply_writer&);
    // An error: nothing has been sent.
    seastar::future<result<void>> answer_plan(const plan&, format, http::request&, http::reply_writer&);
    seastar::future<> follow(request, bool is_events, http::request&, http::reply_writer&);
    seastar::future<> send_live(follower&, bool is_events, http::request&, http::reply_writer&);
    struct live_begin {
        std::vector<damaged_range> damage;
        seastar::semaphore_units<> memory; // of history, until it is sent
    };
    seastar::future<result<live_begin>> begin_live(follower&, seastar::abort_source& gone);
    seastar::future<> list(list_kind, std::string family, http::request&, http::reply_writer&);
    seastar::future<> delete_rows(std::string family, http::request&, http::reply_writer&);
    seastar::future<> create_table(std::string name, http::reply_writer&);
    seastar::future<> drop_table(std::string name, http::reply_writer&);

    // The turn of a query ends with its search: who does not read an answer must not keep others from asking. The answer takes
    // from what there is for unread ones instead, unless it is small; `busy` when there is no room left.
    result<seastar::semaphore_units<>> end_turn(seastar::semaphore_units<> turn, size_t answer_bytes);

    executor& _executor;
    seastar::semaphore _unread_bytes;
    size_t _followers_count = 0;
};

} // namespace query
