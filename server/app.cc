#include "server/app.hh"

#include <array>
#include <system_error>

#include <seastar/core/coroutine.hh>
#include <seastar/core/memory.hh>
#include <seastar/core/sharded.hh>
#include <seastar/net/inet_address.hh>
#include <seastar/net/tls.hh>

#include "compaction/retention.hh"
#include "compaction/runner.hh"
#include "compaction/scrubber.hh"
#include "compaction/space_keeper.hh"
#include "http/server.hh"
#include "ingest/tcp_listener.hh"
#include "query/http.hh"
#include "server/audit.hh"
#include "server/core/disk_plan.hh"
#include "server/disk_http.hh"
#include "server/ingest_wiring.hh"
#include "server/log_wiring.hh"
#include "server/native_api.hh"
#include "server/native_http.hh"
#include "server/own_metrics.hh"
#include "server/retention_http.hh"
#include "server/scrub_http.hh"
#include "server/snapshot_http.hh"
#include "server/snapshots.hh"
#include "server/tables_http.hh"
#include "service/blob_service.hh"
#include "service/core/base64.hh"
#include "service/table_service.hh"
#include "shard/dma_disk.hh"
#include "tables/engine.hh"

namespace server {
namespace {

using base::errc;
using base::fail;

base::expected<void> cannot_listen(const settings& s, uint16_t port, std::string_view option, const std::system_error& e) {
    if (e.code().value() == EADDRINUSE) {
        return fail(errc::io_error, fmt::format("{}:{} is taken by another program; stop it, or choose another port with --{}",
                                                s.bind, port, option));
    }
    return fail(errc::io_error,
                fmt::format("cannot listen on {}:{} ({}); check --bind and --{}", s.bind, port, e.code().message(), option));
}

seastar::logger app_log("server");

base::tick wall_clock() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return base::tick_from_unix_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

// Of a shard's memory: rows that are not in segments yet. The rest is for queries, caches, connections and the log.
constexpr unsigned memtable_share = 3;
constexpr unsigned cache_share = 8;
constexpr unsigned merge_share = 8;
// What the server writes about itself.
constexpr int64_t own_keep_ticks = int64_t{7} * 24 * 3600 * base::ticks_per_second;
// Of the processor, when all are busy, against 1000 for those who write or wait for a short answer. Writers wait for memory until
// what they wrote is in files, so that comes before queries that read much, and both before merging.
constexpr float flush_shares = 1000;
constexpr float query_shares = 100;
constexpr float upkeep_shares = 100;
// Of the whole process's: what one query may hold.
constexpr unsigned query_memory_share = 8;

// Of the connections there can be: each HTTP face a sixth, and all TCP ports for lines together the half that is left.
constexpr unsigned http_connections_share = 6;
constexpr unsigned line_connections_share = 2;

base::expected<std::vector<service::account>> parse_accounts(const std::vector<std::string>& texts) {
    std::vector<service::account> accounts;
    for (const auto& text : texts) {
        service::account one;
        for (std::string_view rest = text; !rest.empty();) {
            const auto part = rest.substr(0, rest.find(':'));
            rest.remove_prefix(std::min(rest.size(), part.size() + 1));
            auto key = one.name.empty() ? std::nullopt : service::decode_base64(part);
            if (one.name.empty()) {
                one.name = part;
            } else if (key && !key->empty()) {
                one.keys.push_back(std::move(*key));
            } else {
                return fail(errc::invalid_argument, fmt::format("account {}: its key is not base64", one.name));
            }
        }
        if (one.name.empty() || one.keys.empty() || one.keys.size() > 2) {
            return fail(errc::invalid_argument, "an account is written NAME:KEY, or NAME:KEY:KEY");
        }
        accounts.push_back(std::move(one));
    }
    return accounts;
}

seastar::future<std::string> why_not_ready(seastar::sharded<tables::engine>& engines) {
    const bool can_write =
        co_await engines.map_reduce0([](const tables::engine& e) { return e.can_write(); }, true, std::logical_and<>());
    co_return can_write ? "" : "a flush of the log failed on a shard; it takes no writes until the server is started again";
}

seastar::future<disk_plan> disk_plan_for(const settings& s) {
    shard::dma_disk disk(s.data);
    const auto space = co_await disk.space();
    co_return plan_disk(space.total_bytes, seastar::smp::count,
                        {s.disk_reserve_bytes, s.disk_high_water_percent, s.disk_drop_oldest});
}

std::string first_account(const settings& s) {
    return s.accounts.front().substr(0, s.accounts.front().find(':'));
}

tables::engine_config engine_config_for(const settings& s, const disk_plan& disk) {
    tables::engine_config config;
    config.make_disk = [data = s.data] { return std::make_unique<shard::dma_disk>(data); };
    config.now = wall_clock;
    config.shards_count = seastar::smp::count;
    const auto memory = seastar::memory::stats().total_memory();
    // They hold as much of the log.
    config.memtable_bytes_max = std::min(memory / memtable_share, disk.log_bytes_max);
    config.cache_bytes_max = memory / cache_share;
    // While a round is written, as much again may come in.
    config.flush.memtable_bytes = config.memtable_bytes_max / 2;
    config.flush.log_bytes = config.memtable_bytes_max;
    config.log.file_bytes = disk.log_file_bytes;
    config.disk_reserve_bytes = disk.reserve_bytes;
    return config;
}

compaction::runner_config merging_config(seastar::scheduling_group upkeep) {
    return {.now = wall_clock, .memory_bytes = seastar::memory::stats().total_memory() / merge_share, .group = upkeep};
}

} // namespace

struct app::services {
    process_facts facts;
    readiness ready;
    disk_plan disk;
    seastar::sharded<blobs::log_store> logs;
    seastar::sharded<tables::engine> tables;
    seastar::sharded<compaction::runner> mergers;
    std::optional<compaction::retention> keeper; // on shard 0
    std::unique_ptr<shard::disk> data_disk;      // likewise: of those who look at it beside the stores
    std::optional<compaction::space_keeper> space;
    std::optional<compaction::scrubber> verifier; // likewise
    std::optional<snapshots> snapshot_taker;      // likewise
    seastar::sharded<ingest::intake> intake;
    std::optional<own_metrics> figures; // on shard 0
    std::array<seastar::sharded<ingest::tcp_listener>, 4> line_ports;
    seastar::sharded<service::table_service> table_faces;
    seastar::sharded<http::server> table_servers;
    seastar::sharded<service::blob_service> blob_faces;
    seastar::sharded<http::server> blob_servers;
    seastar::sharded<query::executor> queries;
    seastar::sharded<query::http_face> query_faces;
    seastar::sharded<native_api> api;
    seastar::sharded<http::server> native;
};

app::app(settings s, resource_plan plan) : _settings(std::move(s)), _plan(plan), _services(std::make_unique<services>()) {
    _services->facts = {_settings.data, std::chrono::steady_clock::now()};
}

app::~app() = default;

seastar::future<base::expected<seastar::tls::credentials_builder>> app::load_credentials() {
    seastar::tls::credentials_builder builder;
    try {
        co_await builder.set_x509_key_file(_settings.tls_cert, _settings.tls_key, seastar::tls::x509_crt_format::PEM);
    } catch (...) {
        co_return fail(errc::invalid_argument, fmt::format("tls-cert {} and tls-key {} cannot be used: {}", _settings.tls_cert,
                                                           _settings.tls_key, std::current_exception()));
    }
    co_return builder;
}

template <class Listener>
seastar::future<base::expected<void>> app::listen(seastar::sharded<Listener>& servers, uint16_t port, std::string_view option) {
    seastar::tls::credentials_builder builder;
    if (!_settings.tls_cert.empty()) {
        auto loaded = co_await load_credentials();
        if (!loaded) {
            co_return std::unexpected(loaded.error());
        }
        builder = std::move(*loaded);
    }
    try {
        const seastar::socket_address address(seastar::net::inet_address(_settings.bind), port);
        co_await servers.invoke_on_all([address, &builder, is_secure = !_settings.tls_cert.empty()](Listener& s) {
            s.listen(address, is_secure ? builder.build_server_credentials() : nullptr);
        });
    } catch (const std::system_error& e) {
        co_return cannot_listen(_settings, port, option, e);
    } catch (const std::invalid_argument&) {
        co_return fail(errc::invalid_argument, fmt::format("bind = {} is not an address", _settings.bind));
    }
    co_return base::expected<void>();
}

http::server_config app::config_for(std::string face) const {
    return {.face = std::move(face), .connections_max = _plan.connections_max(http_connections_share)};
}

seastar::future<base::expected<void>> app::start_native() {
    if (_settings.http_port == 0) {
        co_return base::expected<void>();
    }
    auto& api = _services->api;
    auto& native = _services->native;
    co_await api.start(_settings.token);
    _stops.emplace_back([&api] { return api.stop(); });
    auto handler = [this, &api] { return native_handler(_services->facts, _services->ready, api.local()); };
    co_await native.start(config_for("native"), seastar::sharded_parameter(handler), http::error_handler(reply_in_json));
    _stops.emplace_back([&native] { return native.stop(); });
    co_return co_await listen(native, _settings.http_port, "http-port");
}

seastar::future<base::expected<void>> app::start_table_service() {
    if (_settings.table_port == 0) {
        co_return base::expected<void>();
    }
    auto accounts = parse_accounts(_settings.accounts);
    if (!accounts) {
        co_return std::unexpected(accounts.error());
    }
    auto& faces = _services->table_faces;
    auto& servers = _services->table_servers;
    co_await faces.start(service::table_service_config{std::move(*accounts), wall_clock}, std::ref(_services->tables));
    _stops.emplace_back([&faces] { return faces.stop(); });
    co_await servers.start(config_for("tables"), seastar::sharded_parameter([&faces] { return faces.local().handler(); }),
                           seastar::sharded_parameter([&faces] { return faces.local().error_handler(); }));
    _stops.emplace_back([&servers] { return servers.stop(); });
    co_return co_await listen(servers, _settings.table_port, "table-port");
}

seastar::future<base::expected<void>> app::start_blob_service() {
    if (_settings.blob_port == 0) {
        co_return base::expected<void>();
    }
    auto accounts = parse_accounts(_settings.accounts);
    if (!accounts) {
        co_return std::unexpected(accounts.error());
    }
    auto& faces = _services->blob_faces;
    auto& servers = _services->blob_servers;
    co_await faces.start(service::blob_service_config{std::move(*accounts), wall_clock}, std::ref(_services->logs));
    _stops.emplace_back([&faces] { return faces.stop(); });
    co_await servers.start(config_for("blobs"), seastar::sharded_parameter([&faces] { return faces.local().handler(); }),
                           seastar::sharded_parameter([&faces] { return faces.local().error_handler(); }));
    _stops.emplace_back([&servers] { return servers.stop(); });
    co_return co_await listen(servers, _settings.blob_port, "blob-port");
}

// Families and sources belong to the first account.
query::executor_config app::query_config(seastar::scheduling_group group) const {
    const std::string& first = _settings.accounts.front();
    return {
        .account = first.substr(0, first.find(':')),
        .budgets = {.memory_bytes_max = std::min(query::budgets().memory_bytes_max, _plan.allocator_bytes / query_memory_share)},
        .now_ns = [] { return base::unix_ns(wall_clock()); },
        .group = group};
}

// Unless somebody has said otherwise.
seastar::future<> app::keep_own_for_a_while() {
    const auto account = first_account(_settings);
    const auto policy = tables::find_retention(_services->tables.local().catalog(), account, own_family);
    if (policy.keep_ticks != 0 || policy.max_bytes != 0 || policy.period) {
        co_return;
    }
    const auto set = co_await _services->keeper->set({.name = own_family, .keep_ticks = own_keep_ticks});
    if (!set) {
        app_log.warn("what the server writes about itself is kept for ever: {}", base::to_string(set.error()));
    }
}

void app::start_retention() {
    auto& keeper = _services->keeper;
    auto audit = [&logs = _services->logs](std::string sentence) {
        return write_audit_record(logs.local(), std::move(sentence));
    };
    compaction::retention_config config{.account = first_account(_settings), .now = wall_clock, .audit = std::move(audit)};
    add_log_retention(config, _services->logs);
    keeper.emplace(_services->tables, std::move(config));
    _stops.emplace_back([&keeper] { return keeper->stop(); });
    keeper->start();
    if (_services->disk.high_water_bytes == 0) {
        return;
    }
    auto& space = _services->space;
    space.emplace(*_services->data_disk, *keeper, compaction::space_config{.high_water_bytes = _services->disk.high_water_bytes});
    _stops.emplace_back([&space] { return space->stop(); });
    space->start();
}

seastar::future<> app::start_scrubs(seastar::scheduling_group group) {
    auto& verifier = _services->verifier;
    verifier.emplace(
        _services->tables, _services->logs, *_services->data_disk,
        compaction::scrub_config{.now = wall_clock, .group = group, .every = std::chrono::days(_settings.scrub_days)});
    _stops.emplace_back([&verifier] { return verifier->stop(); });
    co_await verifier->start();
}

seastar::future<> app::start_queries() {
    auto& queries = _services->queries;
    auto& faces = _services->query_faces;
    const auto group = co_await seastar::create_scheduling_group("query", query_shares);
    co_await queries.start(query_config(group), std::ref(_services->tables),
                           seastar::sharded_parameter([this] { return &_services->logs.local(); }));
    _stops.emplace_back([&queries] { return queries.stop(); });
    co_await faces.start(std::ref(queries));
    _stops.emplace_back([&faces] { return faces.stop(); });
    co_await faces.invoke_on_all([this](query::http_face& face) { face.add_routes(_services->api.local().routes()); });
    co_await _services->api.invoke_on_all([this](native_api& api) {
        add_retention_routes(api.routes(), *_services->keeper);
        add_table_routes(api.routes(), _services->tables, *_services->keeper, first_account(_settings));
        add_disk_route(api.routes(), {_settings.data, _services->disk, _services->tables, _services->logs});
        add_scrub_routes(api.routes(), *_services->verifier);
        add_snapshot_routes(api.routes(), *_services->snapshot_taker);
    });
}

seastar::future<base::expected<void>> app::start_tables() {
    auto& engines = _services->tables;
    _services->disk = co_await disk_plan_for(_settings);
    _services->data_disk = std::make_unique<shard::dma_disk>(_settings.data);
    auto config = engine_config_for(_settings, _services->disk);
    const auto flush = co_await seastar::create_scheduling_group("flush", flush_shares);
    const auto upkeep = co_await seastar::create_scheduling_group("upkeep", upkeep_shares);
    config.flush.group = flush;
    auto& logs = _services->logs;
    co_await logs.start(seastar::sharded_parameter(
                            [flush, upkeep, bytes = config.flush.log_bytes] { return log_config_for(flush, upkeep, bytes); }),
                        blobs::log_store::release([&engines] { engines.local().release_log(); }));
    _stops.emplace_back([&logs] { return logs.stop(); });
    co_await engines.start(config);
    _stops.emplace_back([&engines] { return engines.stop(); });
    co_await engines.invoke_on_all([&logs](tables::engine& e) { e.set_log_user(&logs.local()); });
    auto opened = co_await engines.local().open();
    if (!opened) {
        co_return fail(opened.error().code,
                       fmt::format("the data directory {} cannot be opened: {}", _settings.data, opened.error().detail));
    }
    for (const auto& sentence : opened->damage) {
        app_log.warn("{}", sentence);
    }
    app_log.info("replayed {} rows from the log", opened->rows_count);
    auto& mergers = _services->mergers;
    co_await mergers.start(std::ref(engines), merging_config(upkeep));
    _stops.emplace_back([&mergers] { return mergers.stop(); });
    co_await mergers.invoke_on_all(&compaction::runner::start);
    start_retention();
    co_await keep_own_for_a_while();
    co_await start_scrubs(upkeep);
    _services->snapshot_taker.emplace(engines.local(), _settings.data);
    co_await _services->snapshot_taker->remove_leftover();
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> app::start_ingest() {
    auto& intake = _services->intake;
    auto& logs = _services->logs;
    auto config = intake_config_for(_settings, _plan.connections_max(line_connections_share));
    auto naming = parse_syslog_source(_settings.syslog_source);
    if (!naming) {
        co_return std::unexpected(naming.error());
    }
    config.naming = std::move(*naming);
    co_await intake.start(config, std::ref(_services->tables), seastar::sharded_parameter([&logs] { return &logs.local(); }));
    _stops.emplace_back([&intake] { return intake.stop(); });
    co_await intake.invoke_on_all(&ingest::intake::open);
    if (_settings.http_port != 0) {
        co_await _services->api.invoke_on_all([&intake, &logs](native_api& api) {
            add_ingest_routes(api.routes(), intake.local());
            add_log_routes(api.routes(), intake.local(), logs);
        });
    }
    if (_settings.own_metrics_seconds > 0) {
        auto& figures = _services->figures;
        figures.emplace(intake.local(), *_services->data_disk, std::chrono::seconds(_settings.own_metrics_seconds));
        _stops.emplace_back([&figures] { return figures->stop(); });
        figures->start();
    }
    co_return co_await start_line_ports();
}

seastar::future<base::expected<void>> app::start_line_ports() {
    struct line_port {
        ingest::protocol spoken;
        uint16_t port;
        std::string_view option;
    };
    const std::array ports{line_port{ingest::protocol::line, _settings.line_port, "line-port"},
                           line_port{ingest::protocol::json, _settings.json_port, "json-port"},
                           line_port{ingest::protocol::graphite, _settings.graphite_port, "graphite-port"},
                           line_port{ingest::protocol::syslog, _settings.syslog_port, "syslog-port"}};
    for (size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].port == 0) {
            continue;
        }
        auto& listener = _services->line_ports[i];
        co_await listener.start(ports[i].spoken, std::ref(_services->intake));
        _stops.emplace_back([&listener] { return listener.stop(); });
        if (auto listening = co_await listen(listener, ports[i].port, ports[i].option); !listening) {
            co_return listening;
        }
    }
    co_return base::expected<void>();
}

// The listener comes first, so that /healthz and /readyz answer while a long log is being replayed.
seastar::future<base::expected<void>> app::start() {
    if (auto started = co_await start_native(); !started) {
        co_return started;
    }
    if (auto started = co_await start_tables(); !started) {
        co_return started;
    }
    if (auto started = co_await start_table_service(); !started) {
        co_return started;
    }
    if (auto started = co_await start_blob_service(); !started) {
        co_return started;
    }
    if (auto started = co_await start_ingest(); !started) {
        co_return started;
    }
    if (_settings.http_port != 0) {
        co_await start_queries();
        co_await _services->api.invoke_on_all(&native_api::open);
        // Requests end before what they use. Stopping the listener a second time, as the first to have started, does nothing.
        _stops.emplace_back([&native = _services->native] { return native.stop(); });
    }
    _services->ready.set([&engines = _services->tables] { return why_not_ready(engines); });
    co_return base::expected<void>();
}

seastar::future<> app::reload(base::expected<settings> now) {
    const auto accounts = now ? parse_accounts(now->accounts) : std::unexpected(now.error());
    if (!accounts) {
        app_log.error("keys and token stay as they are: {}", base::to_string(accounts.error()));
        co_return;
    }
    if (_settings.table_port != 0) {
        co_await _services->table_faces.invoke_on_all([&](service::table_service& face) { face.set_keys(*accounts); });
    }
    if (_settings.blob_port != 0) {
        co_await _services->blob_faces.invoke_on_all([&](service::blob_service& face) { face.set_keys(*accounts); });
    }
    if (_settings.http_port != 0) {
        co_await _services->api.invoke_on_all([&](native_api& api) { api.set_token(now->token); });
    }
    app_log.info("keys and token are those of the configuration as it is now");
}

seastar::future<> app::stop() {
    _services->ready.set([] { return seastar::make_ready_future<std::string>("the server is stopping"); });
    while (!_stops.empty()) {
        auto stop = std::move(_stops.back());
        _stops.pop_back();
        co_await stop();
    }
}

} // namespace server
