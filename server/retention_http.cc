#include "server/retention_http.hh"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "http/core/query_string.hh"
#include "query/core/native/json_text.hh"
#include "query/http_answer.hh"
#include "server/core/policy_body.hh"
#include "server/native_http.hh"

namespace server {
namespace {

using compaction::retention;
using compaction::retention_policy;

constexpr size_t body_bytes_max = 4096;
// Of families and sources; names of tables are shorter.
constexpr size_t name_bytes_max = 255;
// In days where it can be, as most write it.
std::string keep_text(int64_t ticks) {
    constexpr int64_t day = 86'400 * base::ticks_per_second;
    return ticks % day == 0 ? fmt::format("{}d", ticks / day) : tables::length_text(ticks);
}

std::string policy_json(const retention_policy& p) {
    return fmt::format(R"({{"name":{},"period":{},"keep":{},"max_bytes":{}}})", query::json_string(p.name),
                       p.period ? query::json_string(tables::period_text(*p.period)) : "null",
                       p.keep_ticks > 0 ? query::json_string(keep_text(p.keep_ticks)) : "null",
                       p.max_bytes > 0 ? fmt::to_string(p.max_bytes) : "null");
}

std::string retention_json(const compaction::retention_report& report) {
    std::string dropped, failures;
    for (const auto& d : report.dropped) {
        dropped += fmt::format(R"({}{{"{}":{},"end":"{}","bytes":{},"reason":"{}"}})", dropped.empty() ? "" : ",",
                               d.table.log_period ? "source" : "table", query::json_string(d.table.name),
                               base::to_text(d.table.end), d.table.bytes, compaction::reason_text(d.reason));
    }
    for (const auto& f : report.failures) {
        failures += (failures.empty() ? "" : ",") + query::json_string(f);
    }
    return fmt::format(R"({{"dropped":[{}],"bytes":{},"failures":[{}]}})", dropped, report.bytes, failures);
}

std::string page_json(std::vector<retention_policy> policies, bool is_automatic, const query::list_page& page) {
    std::ranges::sort(policies, {}, &retention_policy::name);
    const auto first = std::ranges::upper_bound(policies, page.after, {}, &retention_policy::name);
    const auto left = std::span(first, policies.end());
    const auto shown = left.first(std::min(left.size(), page.limit));
    std::string all;
    for (const auto& p : shown) {
        all += (all.empty() ? "\n" : ",\n") + policy_json(p);
    }
    return fmt::format(R"({{"policies":[{}],"automatic":{},"cursor":{}}})", all, is_automatic,
                       shown.size() < left.size() ? query::json_string(query::cursor_of_bytes(shown.back().name)) : "null");
}

seastar::future<> list_policies(retention& keeper, http::request& request, http::reply_writer& reply) {
    const auto page = query::read_list_page(request.head.query).and_then(query::with_bytes_behind);
    if (!page) {
        co_return co_await send_json_error(reply, 400, "bad_request", page.error().detail);
    }
    auto json = co_await seastar::smp::submit_to(
        0, [&keeper, page = *page] { return page_json(keeper.policies(), keeper.is_automatic(), page); });
    co_await reply.send(200, {http::json_type}, json + "\n");
}

// Nothing: there is none of that name.
seastar::future<std::optional<retention_policy>> find(retention& keeper, std::string name) {
    return seastar::smp::submit_to(0, [&keeper, name = std::move(name)] {
        auto policies = keeper.policies();
        const auto found = std::ranges::find(policies, name, &retention_policy::name);
        return found != policies.end() ? std::optional(std::move(*found)) : std::nullopt;
    });
}

seastar::future<> send_no_policy(http::reply_writer& reply, std::string_view name) {
    return send_json_error(reply, 404, "not_found", fmt::format("there is no policy for '{}'", name));
}

seastar::future<> get(retention& keeper, std::string name, http::reply_writer& reply) {
    const auto policy = co_await find(keeper, name);
    if (!policy) {
        co_return co_await send_no_policy(reply, name);
    }
    co_await reply.send(200, {http::json_type}, policy_json(*policy) + "\n");
}

seastar::future<> set(retention& keeper, retention_policy policy, http::reply_writer& reply) {
    const auto json = policy_json(policy);
    const auto done = co_await seastar::smp::submit_to(0, [&keeper, policy] { return keeper.set(policy); });
    if (!done && done.error().code == base::errc::invalid_argument) {
        co_return co_await send_json_error(reply, 400, "bad_request", done.error().detail);
    }
    if (!done) {
        co_return co_await send_json_error(reply, 503, "unavailable", base::to_string(done.error()));
    }
    co_await reply.send(200, {http::json_type}, json + "\n");
}

seastar::future<> put(retention& keeper, std::string name, http::request& request, http::reply_writer& reply) {
    auto body = co_await request.body.read_all(body_bytes_max);
    if (!body) {
        co_return co_await reply.send_error(body.error());
    }
    if (name.size() > name_bytes_max) {
        co_return co_await send_json_error(
            reply, 400, "bad_request",
            fmt::format("nothing is called so: names of families and sources have at most {} bytes", name_bytes_max));
    }
    auto policy = read_policy(std::move(name), *body);
    if (!policy) {
        co_return co_await send_json_error(reply, 400, "bad_request", policy.error().detail);
    }
    co_await set(keeper, std::move(*policy), reply);
}

seastar::future<> unset(retention& keeper, std::string name, http::reply_writer& reply) {
    if (!co_await find(keeper, name)) {
        co_return co_await send_no_policy(reply, name);
    }
    co_await set(keeper, {.name = name}, reply);
}

seastar::future<> run_retention(retention& keeper, http::request& request, http::reply_writer& reply) {
    const auto query = http::query_string::parse(request.head.query);
    const auto flag = query ? query->get("dry_run").value_or("false") : "?";
    if (flag != "true" && flag != "false") {
        co_return co_await send_json_error(reply, 400, "bad_request", "dry_run is true or false");
    }
    const bool is_dry = flag == "true";
    auto json = co_await seastar::smp::submit_to(0, [&keeper, is_dry] { return keeper.run(is_dry).then(retention_json); });
    co_await reply.send(200, {http::json_type}, json + "\n");
}

} // namespace

void add_retention_routes(http::router& routes, retention& keeper) {
    routes.add("GET", "/v1/retention", [&keeper](http::request& request, http::path_parameters, http::reply_writer& reply) {
        return list_policies(keeper, request, reply);
    });
    routes.add_strict("GET", "/v1/retention/{name}", {},
                      [&keeper](http::request&, http::path_parameters path, http::reply_writer& reply) {
                          return get(keeper, path.get("name"), reply);
                      });
    routes.add_strict("POST", "/v1/retention/run", {"dry_run"},
                      [&keeper](http::request& request, http::path_parameters, http::reply_writer& reply) {
                          return run_retention(keeper, request, reply);
                      });
    routes.add_strict("PUT", "/v1/retention/{name}", {},
                      [&keeper](http::request& request, http::path_parameters path, http::reply_writer& reply) {
                          return put(keeper, path.get("name"), request, reply);
                      });
    routes.add_strict("DELETE", "/v1/retention/{name}", {},
                      [&keeper](http::request&, http::path_parameters path, http::reply_writer& reply) {
                          return unset(keeper, path.get("name"), reply);
                      });
}

} // namespace server
