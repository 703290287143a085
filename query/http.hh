// GET /v1/tail, /v1/range and the listings: requests in, streamed answers out; and the deletion of rows. One on each shard, over that shard's executor.
#pragma once

#include "http/router.hh"
#include "query/executor.hh"
#include "query/follower.hh"

namespace query {

// Live tails of one shard: each remembers what it has sent last.
constexpr size_t followers_max = 64;

class http_face {
public:
    explicit http_face(seastar::sharded<executor>& executors) : _executor(executors.local()) {}
    seastar::future<> stop() { return seastar::make_ready_future<>(); }

    // The face must outlive the router.
    void add_routes(http::router&);

private:
    enum class list_kind : uint8_t { families, series, tags, fields };

    seastar::future<> answer_rows(verb, http::request&, http::reply_writer&);
    seastar::future<> follow(request, bool is_events, http::request&, http::reply_writer&);
    seastar::future<> send_live(follower&, bool is_events, http::request&, http::reply_writer&);
    seastar::future<result<std::vector<damaged_range>>> send_history(follower&, seastar::abort_source&, follower::sink);
    seastar::future<> list(list_kind, std::string family, http::request&, http::reply_writer&);
    seastar::future<> delete_rows(std::string family, http::request&, http::reply_writer&);
    seastar::future<> create_table(std::string name, http::reply_writer&);
    seastar::future<> drop_table(std::string name, http::reply_writer&);

    executor& _executor;
    size_t _followers_count = 0;
};

} // namespace query
