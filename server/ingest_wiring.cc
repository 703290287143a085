#include "server/ingest_wiring.hh"

#include <chrono>

#include <seastar/core/memory.hh>
#include <seastar/core/smp.hh>

#include "ingest/influx_http.hh"

namespace server {
namespace {

int64_t unix_now_ns() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

} // namespace

ingest::intake_config intake_config_for(const settings& s, size_t connections_max) {
    ingest::intake_config config;
    // Families belong to the first account.
    config.families.account = s.accounts.front().substr(0, s.accounts.front().find(':'));
    config.families.spreads = {s.spreads.begin(), s.spreads.end()};
    config.now_ns = unix_now_ns;
    config.shards_count = seastar::smp::count;
    config.memory_bytes = seastar::memory::stats().total_memory();
    config.connections_max = connections_max;
    return config;
}

void add_ingest_routes(http::router& routes, ingest::intake& in) {
    const auto write = [&in](http::request& request, http::path_parameters, http::reply_writer& reply) {
        return ingest::answer_write(in, request, reply);
    };
    const auto query = [](http::request& request, http::path_parameters, http::reply_writer& reply) {
        return ingest::answer_query(request, reply);
    };
    routes.add("POST", "/write", write).add("POST", "/api/v2/write", write);
    routes.add("GET", "/query", query).add("POST", "/query", query);
}

} // namespace server
