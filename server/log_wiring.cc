#include "server/log_wiring.hh"

#include <chrono>
#include <map>

#include <fmt/format.h>
#include <seastar/core/memory.hh>

#include "ingest/http_logs.hh"
#include "query/log_lists.hh"

namespace server {
namespace {

// Of a shard's memory: records that are not in blobs yet. Half of it is sealed while the other half fills.
constexpr unsigned buffer_share = 12;

} // namespace

blobs::log_config log_config_for(seastar::scheduling_group flush, seastar::scheduling_group upkeep, uint64_t log_bytes_max) {
    blobs::log_config config;
    config.memory_bytes_max = seastar::memory::stats().total_memory() / buffer_share;
    config.seal_bytes = std::min(config.seal_bytes, config.memory_bytes_max / 2);
    config.log_bytes = log_bytes_max;
    config.now_ns = [] {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    };
    config.group = flush;
    config.merge_group = upkeep;
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

void add_log_retention(compaction::retention_config& config, seastar::sharded<blobs::log_store>& logs) {
    using usage = std::map<base::tick, uint64_t>; // by the start of a period
    config.log_periods = [&logs](std::string source) -> seastar::future<std::vector<compaction::aged_table>> {
        const auto all =
            co_await logs.map_reduce0([source](const blobs::log_store& there) { return there.periods_here(source); }, usage(),
                                      [](usage sum, const std::vector<blobs::log_store::period_usage>& more) {
                                          for (const auto& p : more) {
                                              sum[p.start] += p.bytes;
                                          }
                                          return sum;
                                      });
        std::vector<compaction::aged_table> periods;
        for (const auto& [start, bytes] : all) {
            const base::tick end{start.value + blobs::period_ns / 100};
            periods.push_back({.name = source, .end = end, .bytes = bytes, .log_period = start});
        }
        co_return periods;
    };
    config.drop_log_period = [&logs](std::string source, base::tick start) -> seastar::future<base::expected<void>> {
        base::expected<void> outcome;
        for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
            auto done = co_await logs.invoke_on(
                shard, [source, start](blobs::log_store& there) { return there.drop_period_here(source, start); });
            if (!done) {
                outcome = done;
            }
        }
        co_return outcome;
    };
}

void add_log_routes(http::router& routes, ingest::intake& in, seastar::sharded<blobs::log_store>& logs) {
    routes.add_strict("POST", "/v1/logs/{source}", {"u", "p"}, // the token, as InfluxDB's clients say it
                      [&in](http::request& request, http::path_parameters p, http::reply_writer& reply) {
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
