// DELETE /v1/families/{name}?where=&start=&end=: {"deleted":N}.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "http/core/query_string.hh"
#include "query/http.hh"
#include "query/http_answer.hh"
#include "query/row_deletion.hh"

namespace query {
namespace {

base::expected<request> read_deletion(std::string family, std::string_view raw_query, int64_t now_ns) {
    const auto query = http::query_string::parse(raw_query);
    if (!query) {
        return std::unexpected(query.error());
    }
    std::vector<parameter> parameters;
    for (const auto& p : query->all()) {
        parameters.push_back({p.name, p.value});
    }
    return parse_deletion(std::move(family), parameters, now_ns);
}

} // namespace

seastar::future<> http_face::delete_rows(std::string family, http::request& request, http::reply_writer& reply) {
    co_await seastar::coroutine::switch_to(_executor.config().group);
    auto asked = read_deletion(std::move(family), request.head.query, _executor.config().now_ns());
    const auto planned = asked ? _executor.make_plan(std::move(*asked)) : std::unexpected(asked.error());
    if (!planned) {
        co_return co_await send_error(reply, planned.error());
    }
    const auto turn = co_await _executor.admit(request.disconnected);
    if (!turn) {
        co_return co_await send_error(reply, turn.error(), {});
    }
    control watch(_executor.config().budgets, _executor.shards_count());
    const auto cancelled = watch.cancel_with(request.disconnected);
    const auto report = co_await query::delete_rows(_executor, *planned, watch);
    if (!report.outcome) {
        reply.add_field("X-Downtick-Deleted", std::to_string(report.rows_count));
        co_return co_await send_error(reply, report.outcome.error(), {});
    }
    co_await reply.send(200, {http::json_type}, fmt::format("{{\"deleted\":{}}}\n", report.rows_count));
}

} // namespace query
