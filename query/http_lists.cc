// The listings of the native API, and the making and dropping of plain tables.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "http/core/percent.hh"
#include "http/core/query_string.hh"
#include "query/core/native/listing.hh"
#include "query/http.hh"
#include "query/http_answer.hh"

namespace query {
base::expected<list_page> read_list_page(std::string_view raw_query) {
    const auto query = http::query_string::parse(raw_query);
    if (!query) {
        return std::unexpected(query.error());
    }
    std::vector<parameter> parameters;
    for (const auto& p : query->all()) {
        parameters.push_back({p.name, p.value});
    }
    return parse_list_page(parameters);
}

std::string cursor_of_bytes(std::string_view name) {
    return http::percent_encode(name);
}

base::expected<list_page> with_bytes_behind(list_page page) {
    auto after = http::percent_decode(page.after);
    if (!after) {
        return base::fail(base::errc::invalid_argument, "cursor: not a cursor of this list");
    }
    page.after = std::move(*after);
    return page;
}

seastar::future<> http_face::list(list_kind kind, std::string family, http::request& request, http::reply_writer& reply) {
    co_await seastar::coroutine::switch_to(_executor.config().group);
    const auto page = read_list_page(request.head.query);
    if (!page) {
        co_return co_await send_error(reply, page.error());
    }
    if (kind == list_kind::families) {
        co_return co_await reply.send(200, {http::json_type}, families_json(_executor.tables(), *page));
    }
    auto turn = co_await _executor.admit(request.disconnected);
    if (!turn) {
        co_return co_await send_error(reply, turn.error(), {});
    }
    control watch(_executor.config().budgets, 1);
    const auto cancelled = watch.cancel_with(request.disconnected);
    const auto what = kind == list_kind::series ? fact_kind::series
                      : kind == list_kind::tags ? fact_kind::tags
                                                : fact_kind::fields;
    auto facts = co_await _executor.facts_of(family, what, watch);
    if (!facts) {
        co_return co_await send_error(reply, facts.error(), {});
    }
    auto json = what == fact_kind::series ? facts->series_json(*page)
                : what == fact_kind::tags ? facts->tags_json(*page)
                                          : facts->fields_json(*page);
    co_await reply.send(200, {http::json_type}, std::move(json));
}

seastar::future<> http_face::create_table(std::string name, http::reply_writer& reply) {
    const auto made = co_await _executor.engine().create_table({_executor.config().account, name, {}});
    if (!made && made.error().code == base::errc::table_exists) {
        co_return co_await send_error(reply, 409, "table_exists", fmt::format("table {} is there already", name));
    }
    if (!made) {
        co_return co_await send_error(reply, made.error());
    }
    co_await reply.send(201, {http::json_type}, "{\"created\":true}\n");
}

seastar::future<> http_face::drop_table(std::string name, http::reply_writer& reply) {
    const auto dropped = co_await _executor.engine().drop_table(_executor.config().account, name);
    if (!dropped && dropped.error().code == base::errc::table_not_found) {
        co_return co_await send_error(reply, 404, "not_found", fmt::format("there is no table '{}'", name));
    }
    if (!dropped) {
        co_return co_await send_error(reply, dropped.error());
    }
    co_await reply.send(200, {http::json_type}, "{\"dropped\":true}\n");
}

} // namespace query
