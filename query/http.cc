#include "query/http.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "http/core/query_string.hh"
#include "query/http_answer.hh"

namespace query {

void http_face::add_routes(http::router& routes) {
    routes.add("GET", "/v1/tail",
               [this](http::request& r, http::path_parameters, http::reply_writer& w) { return answer_rows(verb::tail, r, w); });
    routes.add("GET", "/v1/range",
               [this](http::request& r, http::path_parameters, http::reply_writer& w) { return answer_rows(verb::range, r, w); });
}

seastar::future<> http_face::answer_rows(verb v, http::request& request, http::reply_writer& reply) {
    co_await seastar::coroutine::switch_to(_executor.config().group);
    const auto as = choose_format(request.head.header("accept").value_or(""));
    if (!as) {
        co_return co_await send_error(
            reply, 406, "not_acceptable",
            "Accept: application/json, application/x-ndjson, text/csv or application/vnd.apache.arrow.stream");
    }
    auto asked = read_request(v, request.head.query, _executor.config().now_ns());
    auto planned = asked ? _executor.make_plan(std::move(*asked)) : std::unexpected(asked.error());
    if (!planned) {
        co_return co_await send_error(reply, planned.error());
    }
    auto turn = co_await _executor.admit();
    if (!turn) {
        co_return co_await send_error(reply, turn.error(), *planned);
    }
    control watch(_executor.config().budgets, _executor.shards_count());
    const auto cancelled = request.disconnected.subscribe([&watch]() noexcept { watch.cancel(); });
    if (planned->asked.aggregates) {
        auto sums = co_await _executor.aggregates(*planned, watch);
        co_return sums ? co_await send_aggregates(reply, *as, std::move(*sums))
                       : co_await send_error(reply, sums.error(), *planned);
    }
    auto page = co_await _executor.rows(*planned, watch);
    if (!page) {
        co_return co_await send_error(reply, page.error(), *planned);
    }
    co_await send_rows(reply, *as, *planned, std::move(*page));
}

} // namespace query
