#include "query/http.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "query/core/native/page_end.hh"
#include "query/http_answer.hh"

namespace query {

// An answer that takes no more memory than a connection may cost anyway.
static constexpr size_t small_answer_bytes = 256 << 10;

void http_face::add_routes(http::router& routes) {
    using http::path_parameters;
    using http::reply_writer;
    const auto add_rows = [&](std::string_view path, verb v) {
        routes.add("GET", path, [this, v](http::request& r, path_parameters, reply_writer& w) { return answer_rows(v, r, w); });
    };
    add_rows("/v1/tail", verb::tail);
    add_rows("/v1/range", verb::range);
    const auto add_list = [&](std::string_view path, list_kind kind) {
        routes.add("GET", path, [this, kind](http::request& r, path_parameters p, reply_writer& w) {
            return list(kind, p.empty() ? std::string() : p.get("name"), r, w);
        });
    };
    add_list("/v1/families", list_kind::families);
    add_list("/v1/families/{name}/series", list_kind::series);
    add_list("/v1/families/{name}/tags", list_kind::tags);
    add_list("/v1/families/{name}/fields", list_kind::fields);
    routes.add("DELETE", "/v1/families/{name}",
               [this](http::request& r, path_parameters p, reply_writer& w) { return delete_rows(p.get("name"), r, w); });
    routes.add_strict("PUT", "/v1/tables/{name}", {},
                      [this](http::request&, path_parameters p, reply_writer& w) { return create_table(p.get("name"), w); });
    routes.add_strict("DELETE", "/v1/tables/{name}", {},
                      [this](http::request&, path_parameters p, reply_writer& w) { return drop_table(p.get("name"), w); });
}

seastar::future<> http_face::answer_rows(verb v, http::request& request, http::reply_writer& reply) {
    const auto accept = request.head.header("accept").value_or("");
    auto asked = read_request(v, request.head.query, _executor.config().now_ns());
    if (asked && !executor::may_be_light(*asked)) {
        co_await seastar::coroutine::switch_to(_executor.config().group);
    }
    const bool is_events = asked && asked->follow && accept.contains("text/event-stream");
    const auto as = is_events ? format::ndjson : choose_format(accept);
    if (!as) {
        co_return co_await send_error(
            reply, 406, "not_acceptable",
            "Accept: application/json, application/x-ndjson, text/csv or application/vnd.apache.arrow.stream");
    }
    if (asked && asked->follow) {
        const bool is_text = *as == format::json || *as == format::ndjson;
        if (!is_text) {
            co_return co_await send_error(reply, 406, "not_acceptable", "follow comes as NDJSON or as server-sent events");
        }
        co_return co_await follow(std::move(*asked), is_events, request, reply);
    }
    auto planned = asked ? _executor.make_plan(std::move(*asked)) : std::unexpected(asked.error());
    if (!planned) {
        co_return co_await send_error(reply, planned.error());
    }
    if (auto answered = co_await answer_plan(*planned, *as, request, reply); !answered) {
        co_await send_error(reply, answered.error(), cursor_of_page(*planned));
    }
}

seastar::future<result<void>> http_face::answer_plan(const plan& p, format as, http::request& request,
                                                     http::reply_writer& reply) {
    auto turn = co_await _executor.admit(p, request.disconnected);
    if (!turn) {
        co_return std::unexpected(turn.error());
    }
    control watch(_executor.config().budgets, _executor.shards_count());
    watch.pass_damage();
    const auto cancelled = watch.cancel_with(request.disconnected);
    if (p.asked.aggregates) {
        auto sums = co_await _executor.aggregates(p, watch);
        const auto memory = sums ? end_turn(std::move(*turn), sums->sums->bytes()) : std::unexpected(sums.error());
        if (!memory) {
            co_return std::unexpected(memory.error());
        }
        co_await send_aggregates(reply, as, p, std::move(*sums));
        co_return result<void>();
    }
    auto page = co_await _executor.rows(p, watch);
    const auto memory = page ? end_turn(std::move(*turn), page->rows->bytes()) : std::unexpected(page.error());
    if (!memory) {
        co_return std::unexpected(memory.error());
    }
    co_await send_rows(reply, as, p, std::move(*page));
    co_return result<void>();
}

result<seastar::semaphore_units<>> http_face::end_turn(seastar::semaphore_units<> turn, size_t answer_bytes) {
    turn.return_all();
    if (answer_bytes <= small_answer_bytes) {
        return seastar::semaphore_units<>();
    }
    const auto most = _executor.config().budgets.memory_bytes_max;
    auto units = seastar::try_get_units(_unread_bytes, std::min(answer_bytes, most));
    if (!units) {
        return failed({base::errc::busy, "too many large answers wait to be read; try again later"});
    }
    return std::move(*units);
}

} // namespace query
