#include "server/log_wiring.hh"

#include <chrono>

#include <fmt/format.h>
#include <seastar/core/memory.hh>

#include "ingest/http_logs.hh"
#include "query/log_lists.hh"

namespace server {
namespace {

// Of a shard's memory: records that are not in blobs yet. Half of it is sealed while the other half fills.
constexpr unsigned buffer_share = 12;

} // namespace

blobs::log_config log_config_for(seastar::scheduling_group upkeep) {
    blobs::log_config config;
    config.memory_bytes_max = seastar::memory::stats().total_memory() / buffer_share;
    config.seal_bytes = std::min(config.seal_bytes, config.memory_bytes_max / 2);
    config.now_ns = [] {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    };
    config.group = upkeep;
    return config;
}

base::expected<ingest::syslog_naming> parse_syslog_source(const std::string& text) {
    using what = ingest::syslog_naming::what;
    constexpr std::string_view fixed = "fixed:";
    if (text == "app" || text == "host") {
        return ingest::syslog_naming{text == "app" ? what::app : what::host, {}};
    }
    if (text.starts_with(fixed) && text.size() > fixed.size() && text.size() - fixed.size() <= blobs::source_bytes_max) {
        return ingest::syslog_naming{what::fixed, text.substr(fixed.size())};
    }
    return base::fail(base::errc::invalid_argument, fmt::format("syslog-source = {} is none of app, host, fixed:NAME", text));
}

void add_log_routes(http::router& routes, ingest::intake& in, seastar::sharded<blobs::log_store>& logs) {
    routes.add("POST", "/v1/logs/{source}", [&in](http::request& request, http::path_parameters p, http::reply_writer& reply) {
        return ingest::answer_logs(in, p.get("source"), request, reply);
    });
    routes.add("GET", "/v1/sources", [&logs](http::request& request, http::path_parameters, http::reply_writer& reply) {
        return query::answer_sources(logs, request, reply);
    });
    routes.add("GET", "/v1/blobs", [&logs](http::request& request, http::path_parameters, http::reply_writer& reply) {
        return query::answer_blobs(logs, request, reply);
    });
    routes.add("GET", "/v1/blobs/{name}", [&logs](http::request&, http::path_parameters p, http::reply_writer& reply) {
        return query::answer_blob_text(logs, p.get("name"), reply);
    });
}

} // namespace server
