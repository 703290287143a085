#include "ingest/influx_http.hh"

#include <seastar/core/coroutine.hh>

#include "http/core/query_string.hh"
#include "ingest/core/influx_query.hh"
#include "ingest/error_reply.hh"

namespace ingest {
namespace {

// What clients that look at versions take us for: the last one that has only line protocol and InfluxQL.
constexpr http::reply_field influx_version{"X-Influxdb-Version", "1.8.10"};
constexpr http::reply_field influx_build{"X-Influxdb-Build", "Downtick"};
// A statement in a form; those we know are short.
constexpr size_t form_bytes_max = size_t{64} << 10;

} // namespace

seastar::future<> answer_ping(http::reply_writer& reply) {
    return reply.send(204, {influx_version, influx_build});
}

seastar::future<> answer_health(http::reply_writer& reply) {
    return reply.send(
        200, {http::json_type, influx_version},
        R"({"name":"downtick","message":"ready for queries and writes","status":"pass","checks":[],"version":"1.8.10"})"
        "\n");
}

seastar::future<> answer_query(http::request& request, http::reply_writer& reply) {
    std::string text;
    if (auto parameters = http::query_string::parse(request.head.query)) {
        text = parameters->get("q").value_or("");
    }
    if (text.empty() && request.head.has_body()) {
        auto body = co_await request.body.read_all(form_bytes_max);
        if (!body) {
            co_return co_await reply.send_error(body.error());
        }
        if (auto form = http::query_string::parse(*body)) {
            text = form->get("q").value_or("");
        }
    }
    const auto statement = classify_influx_query(text);
    if (statement != influx_statement::other) {
        co_return co_await reply.send(200, {http::json_type, influx_version}, influx_reply(statement));
    }
    co_await send_error(
        reply,
        {400, "bad_request", "only CREATE DATABASE and SHOW DATABASES are answered here; read with GET /v1/range or /v1/tail"});
}

} // namespace ingest
