#include "server/flush_http.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>

#include "server/native_http.hh"

namespace server {
namespace {

// The first thing that went wrong on any shard.
template <class Store>
seastar::future<base::expected<void>> flush_all(seastar::sharded<Store>& stores) {
    const auto outcomes = co_await stores.map([](Store& store) { return store.flush(); });
    const auto failed = std::ranges::find_if(outcomes, [](const auto& done) { return !done; });
    co_return failed == outcomes.end() ? base::expected<void>() : *failed;
}

seastar::future<> flush(seastar::sharded<tables::engine>& tables, seastar::sharded<blobs::log_store>& logs,
                        http::reply_writer& reply) {
    auto done = co_await flush_all(tables);
    if (done) {
        done = co_await flush_all(logs);
    }
    if (!done) {
        co_return co_await send_json_error(reply, 503, "unavailable", base::to_string(done.error()));
    }
    co_await reply.send(204);
}

} // namespace

void add_flush_route(http::router& routes, seastar::sharded<tables::engine>& tables, seastar::sharded<blobs::log_store>& logs) {
    routes.add_strict("POST", "/v1/flush", {},
                      [&tables, &logs](http::request&, http::path_parameters, http::reply_writer& reply) {
                          return flush(tables, logs, reply);
                      });
}

} // namespace server
