#include "server/snapshot_http.hh"

#include <chrono>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "http/core/query_string.hh"
#include "query/core/native/json_text.hh"
#include "server/native_http.hh"

namespace server {
namespace {

seastar::future<> send_error(http::reply_writer& reply, const base::error& e) {
    const bool is_askers = e.code == base::errc::invalid_argument;
    return send_json_error(reply, is_askers ? 400 : 503, base::name(e.code), e.detail);
}

seastar::future<> take(snapshots& taker, http::request& request, http::reply_writer& reply) {
    const auto query = http::query_string::parse(request.head.query);
    const auto named = query ? query->get("dir") : std::nullopt;
    if (!named || named->empty()) {
        co_return co_await send_json_error(reply, 400, "bad_request",
                                           "say where: ?dir=/an/absolute/path on the server's machine");
    }
    const std::string directory(*named);
    const auto begin = std::chrono::steady_clock::now();
    const auto report = co_await seastar::smp::submit_to(0, [&taker, directory] { return taker.take(directory); });
    if (!report) {
        co_return co_await send_error(reply, report.error());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    auto body = fmt::format("{{\"dir\":{},\"files\":{},\"logs\":{},\"seconds\":{:.3f}}}\n", query::json_string(directory),
                            report->files_count, report->logs_count, took.count());
    co_await reply.send(200, {http::json_type}, std::move(body));
}

} // namespace

void add_snapshot_routes(http::router& routes, snapshots& taker) {
    routes.add_strict("POST", "/v1/snapshot", {"dir"},
                      [&taker](http::request& request, http::path_parameters, http::reply_writer& reply) {
                          return take(taker, request, reply);
                      });
}

} // namespace server
