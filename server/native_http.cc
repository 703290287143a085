#include "server/native_http.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "ingest/influx_http.hh"
#include "query/core/native/json_text.hh"
#include "server/core/origin.hh"
#include "server/metrics_text.hh"
#include "server/native_api.hh"

namespace server {
namespace {

constexpr http::reply_field prometheus{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"};

std::string version_json(const process_facts& facts, bool tells_data) {
    const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - facts.started);
    const auto data = tells_data ? fmt::format("\"data\":{},", query::json_string(facts.data)) : std::string();
    return fmt::format("{{\"version\":\"{}\",{}\"shards\":{},\"uptime_seconds\":{}}}\n", DOWNTICK_VERSION, data,
                       seastar::smp::count, uptime.count());
}

seastar::future<> send_readiness(http::reply_writer& reply, const readiness& ready) {
    const auto why_not = co_await seastar::smp::submit_to(0, [&ready] { return ready.why_not(); });
    if (why_not.empty()) {
        co_return co_await reply.send(200, {http::json_type}, "{\"ready\":true}\n");
    }
    co_await send_json_error(reply, 503, "not_ready", why_not);
}

seastar::future<> send_metrics(http::reply_writer& reply) {
    auto text = co_await metrics_text();
    co_await reply.send(200, {prometheus}, std::move(text));
}

std::string_view code_of(unsigned status) {
    switch (status) {
    case 404: return "not_found";
    case 405: return "method_not_allowed";
    case 500: return "internal";
    case 503: return "busy";
    default: return "bad_request";
    }
}

// /ping and /health are InfluxDB's words for /healthz.
bool is_of_process(std::string_view path) {
    return path == "/healthz" || path == "/readyz" || path == "/version" || path == "/metrics" || path == "/ping" ||
           path == "/health";
}

seastar::future<> tell_process(const process_facts& facts, const readiness& ready, bool is_trusted, http::request& request,
                               http::reply_writer& reply) {
    const auto path = request.head.path;
    if (request.head.method != "GET" && request.head.method != "HEAD") {
        reply.add_field("Allow", "GET, HEAD");
        return send_json_error(reply, 405, "method_not_allowed", "only GET and HEAD here");
    }
    if (path == "/healthz") {
        return reply.send(200, {http::json_type}, "{\"alive\":true}\n");
    }
    if (path == "/readyz") {
        return send_readiness(reply, ready);
    }
    if (path == "/ping") {
        return ingest::answer_ping(reply);
    }
    if (path == "/health") {
        return ingest::answer_health(reply);
    }
    return path == "/version" ? reply.send(200, {http::json_type}, version_json(facts, facts.is_local || is_trusted))
                              : send_metrics(reply);
}

// There is nothing to read in the answer.
bool is_for_everybody(std::string_view path) {
    return path == "/healthz" || path == "/readyz";
}

// Whether a web page of somebody else may have sent it, one that calls this machine by the page's own name. Over TLS it would
// have no certificate for that.
bool is_called_by_foreign_name(const process_facts& facts, const http::request& request) {
    const auto host = request.head.header("host");
    return facts.is_local && !request.is_secure && host && !host->empty() && !is_host_of_this_machine(*host, facts.host_name);
}

seastar::future<> refuse_foreign_name(http::reply_writer& reply) {
    return send_json_error(reply, 403, "forbidden",
                           "this server takes requests for localhost or an address, and Host is another name, as a web page that "
                           "should not read here would send; use http://127.0.0.1 or http://localhost, or set a token");
}

} // namespace

http::handler native_handler(const process_facts& facts, const readiness& ready, const native_api& data) {
    return [&facts, &ready, &data](http::request& request, http::reply_writer& reply) {
        if (!data.has_token() && !is_for_everybody(request.head.path) && is_called_by_foreign_name(facts, request)) {
            return refuse_foreign_name(reply);
        }
        return is_of_process(request.head.path) ? tell_process(facts, ready, data.is_trusted(request), request, reply)
                                                : data.answer(request, reply);
    };
}

seastar::future<> send_json_error(http::reply_writer& reply, unsigned status, std::string_view code, std::string_view message) {
    auto body =
        fmt::format("{{\"error\":{{\"code\":{},\"message\":{}}}}}\n", query::json_string(code), query::json_string(message));
    return reply.send(status, {http::json_type}, std::move(body));
}

seastar::future<> reply_in_json(http::protocol_error e, http::reply_writer& reply) {
    return send_json_error(reply, e.status, code_of(e.status), e.reason);
}

} // namespace server
