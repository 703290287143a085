#include "server/app.hh"

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/scheduling.hh>

#include "blobs/log_store.hh"
#include "ingest/intake.hh"
#include "query/http.hh"
#include "server/core/accounts.hh"
#include "server/core/disk_plan.hh"
#include "server/core/settings_check.hh"
#include "server/disk_http.hh"
#include "server/flush_http.hh"
#include "server/ingest_wiring.hh"
#include "server/line_ports.hh"
#include "server/listening.hh"
#include "server/log_wiring.hh"
#include "server/logger.hh"
#include "server/machine.hh"
#include "server/native_api.hh"
#include "server/native_http.hh"
#include "server/own_log.hh"
#include "server/own_metrics.hh"
#include "server/retention_http.hh"
#include "server/scrub_http.hh"
#include "server/shares.hh"
#include "server/snapshot_http.hh"
#include "server/snapshots.hh"
#include "server/tables_http.hh"
#include "server/upkeep.hh"
#include "server/wall_clock.hh"
#include "server/zone.hh"
#include "service/blob_service.hh"
#include "service/table_service.hh"
#include "shard/dma_disk.hh"
#include "tables/engine.hh"

namespace server {
namespace {

using base::fail;

base::expected<std::vector<service::account>> accounts_of(const settings& s) {
    return parse_accounts(s.accounts).transform([](std::vector<account_keys> parsed) {
        std::vector<service::account> accounts;
        for (auto& one : parsed) {
            accounts.push_back({std::move(one.name), std::move(one.keys)});
        }
        return accounts;
    });
}

seastar::future<std::string> why_not_ready(seastar::sharded<tables::engine>& engines) {
    const bool can_write =
        co_await engines.map_reduce0([](const tables::engine& e) { return e.can_write(); }, true, std::logical_and<>());
    co_return can_write ? "" : "a flush of the log failed on a shard; it takes no writes until the server is started again";
}

} // namespace

struct app::services {
    process_facts facts;
    readiness ready;
    seastar::sharded<native_api> api;
    seastar::sharded<http::server> native;
    disk_plan disk;
    seastar::scheduling_group upkeep_group;
    seastar::sharded<blobs::log_store> logs;
    seastar::sharded<tables::engine> tables;
    seastar::sharded<own_log> log_records;
    std::unique_ptr<shard::disk> data_disk;  // on shard 0: of those who look at it beside the stores
    std::optional<upkeep> upkeeper;          // likewise
    std::optional<snapshots> snapshot_taker; // likewise
    seastar::sharded<service::table_service> table_faces;
    seastar::sharded<http::server> table_servers;
    seastar::sharded<service::blob_service> blob_faces;
    seastar::sharded<http::server> blob_servers;
    seastar::sharded<ingest::intake> intake;
    std::optional<own_metrics> figures; // on shard 0
    line_ports lines;
    seastar::sharded<query::executor> queries;
    seastar::sharded<query::http_face> query_faces;
};

app::app(settings s, resource_plan plan) : _settings(std::move(s)), _plan(plan), _services(std::make_unique<services>()) {
    _services->facts = {_settings.data, is_loopback(_settings.bind), read_host_name(), std::chrono::steady_clock::now()};
}

app::~app() = default;

// The listener comes first, so that /healthz and /readyz answer while a long log is being replayed.
seastar::future<base::expected<void>> app::start() {
    if (_settings.own_metrics_seconds > 0) {
        own_log::listen();
    }
    if (auto free = check_ports(_settings); !free) {
        co_return free;
    }
    const std::array steps{&app::start_native,       &app::start_stores, &app::start_upkeep, &app::start_table_service,
                           &app::start_blob_service, &app::start_ingest, &app::start_queries};
    for (const auto step : steps) {
        if (auto started = co_await (this->*step)(); !started) {
            co_return started;
        }
    }
    if (_settings.http_port != 0) {
        co_await _services->api.invoke_on_all(&native_api::open);
        // Requests end before what they use. Stopping the listener a second time, as the first to have started, does nothing.
        stop_later(_services->native);
    }
    _services->ready.set([&engines = _services->tables] { return why_not_ready(engines); });
    co_return base::expected<void>();
}

seastar::future<> app::stop() {
    _services->ready.set([] { return seastar::make_ready_future<std::string>("the server is stopping"); });
    while (!_stops.empty()) {
        auto stop = std::move(_stops.back());
        _stops.pop_back();
        co_await stop();
    }
    own_log::stop_listening();
}

seastar::future<> app::reload(base::expected<settings> now) {
    const auto accounts =
        now.and_then([this](const settings& s) { return check_reload(_settings, s).and_then([&s] { return accounts_of(s); }); });
    if (!accounts) {
        logger.error("keys and token stay as they are: {}", base::to_string(accounts.error()));
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
    logger.info("keys and token are those of the configuration as it is now");
}

seastar::future<base::expected<void>> app::start_native() {
    if (_settings.http_port == 0) {
        co_return base::expected<void>();
    }
    auto& api = _services->api;
    auto& native = _services->native;
    co_await api.start(_settings.token);
    stop_later(api);
    auto handler = [this, &api] { return native_handler(_services->facts, _services->ready, api.local()); };
    co_await native.start(http_config_for("native", _plan), seastar::sharded_parameter(handler),
                          http::error_handler(reply_in_json));
    stop_later(native);
    co_return co_await start_listening(native, _settings, _settings.http_port, "http-port");
}

seastar::future<base::expected<void>> app::start_stores() {
    auto& engines = _services->tables;
    auto& logs = _services->logs;
    _services->disk = co_await disk_plan_for(_settings);
    _services->data_disk = std::make_unique<shard::dma_disk>(_settings.data);
    const auto flush = co_await seastar::create_scheduling_group("flush", flush_shares);
    const auto merging = co_await seastar::create_scheduling_group("upkeep", upkeep_shares);
    _services->upkeep_group = merging;
    const auto config = engine_config_for(_settings, _services->disk, flush);
    auto log_config = [flush, merging, bytes = config.flush.log_bytes] { return log_config_for(flush, merging, bytes); };
    co_await logs.start(seastar::sharded_parameter(log_config),
                        blobs::log_store::release([&engines] { engines.local().release_log(); }));
    stop_later(logs);
    co_await engines.start(config);
    stop_later(engines);
    co_await engines.invoke_on_all([&logs](tables::engine& e) { e.set_log_user(&logs.local()); });
    auto opened = co_await engines.local().open();
    if (!opened) {
        co_return fail(opened.error().code,
                       fmt::format("the data directory {} cannot be opened: {}", _settings.data, opened.error().detail));
    }
    for (const auto& sentence : opened->damage) {
        logger.warn("{}", sentence);
    }
    if (_settings.own_metrics_seconds > 0) {
        co_await _services->log_records.start(seastar::sharded_parameter([&logs] { return std::ref(logs.local()); }));
        stop_later(_services->log_records);
        co_await _services->log_records.invoke_on_all(&own_log::start);
    }
    logger.info("replayed {} rows from the log", opened->rows_count);
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> app::start_upkeep() {
    upkeep_config config{.account = first_account(_settings.accounts),
                         .high_water_bytes = _services->disk.high_water_bytes,
                         .scrub_days = _settings.scrub_days,
                         .group = _services->upkeep_group};
    auto& upkeeper = _services->upkeeper.emplace(_services->tables, _services->logs, *_services->data_disk, std::move(config));
    stop_later(upkeeper);
    co_await upkeeper.start();
    if (const auto kept = co_await upkeeper.keep_own_for_a_while(); !kept) {
        logger.warn("what the server writes about itself is kept for ever: {}", base::to_string(kept.error()));
    }
    auto& taker = _services->snapshot_taker.emplace(_services->tables.local(), _settings.data);
    co_await taker.remove_leftover();
    co_return base::expected<void>();
}

template <class Face>
seastar::future<> app::start_servers(seastar::sharded<Face>& faces, seastar::sharded<http::server>& servers, std::string name) {
    auto handler = [&faces] { return faces.local().handler(); };
    auto error_handler = [&faces] { return faces.local().error_handler(); };
    co_await servers.start(http_config_for(std::move(name), _plan), seastar::sharded_parameter(handler),
                           seastar::sharded_parameter(error_handler));
    stop_later(servers);
}

seastar::future<base::expected<void>> app::start_table_service() {
    if (_settings.table_port == 0) {
        co_return base::expected<void>();
    }
    auto accounts = accounts_of(_settings);
    if (!accounts) {
        co_return std::unexpected(accounts.error());
    }
    auto& faces = _services->table_faces;
    const auto crowd = co_await seastar::create_scheduling_group("crowd", crowd_shares);
    co_await faces.start(service::table_service_config{std::move(*accounts), wall_clock, crowd}, std::ref(_services->tables));
    stop_later(faces);
    co_await start_servers(faces, _services->table_servers, "tables");
    co_return co_await start_listening(_services->table_servers, _settings, _settings.table_port, "table-port");
}

seastar::future<base::expected<void>> app::start_blob_service() {
    if (_settings.blob_port == 0) {
        co_return base::expected<void>();
    }
    auto accounts = accounts_of(_settings);
    if (!accounts) {
        co_return std::unexpected(accounts.error());
    }
    auto& faces = _services->blob_faces;
    co_await faces.start(service::blob_service_config{std::move(*accounts), wall_clock}, std::ref(_services->logs));
    stop_later(faces);
    co_await start_servers(faces, _services->blob_servers, "blobs");
    co_return co_await start_listening(_services->blob_servers, _settings, _settings.blob_port, "blob-port");
}

seastar::future<base::expected<void>> app::start_ingest() {
    auto& intake = _services->intake;
    auto& logs = _services->logs;
    auto config = intake_config_for(_settings, line_connections_max(_plan));
    auto naming = parse_syslog_source(_settings.syslog_source);
    if (!naming) {
        co_return std::unexpected(naming.error());
    }
    config.naming = std::move(*naming);
    auto zone = find_zone(_settings.syslog_zone);
    if (!zone) {
        co_return std::unexpected(zone.error());
    }
    config.syslog_offset_s = std::move(*zone);
    co_await intake.start(config, std::ref(_services->tables), seastar::sharded_parameter([&logs] { return &logs.local(); }));
    stop_later(intake);
    co_await intake.invoke_on_all(&ingest::intake::open);
    if (_settings.http_port != 0) {
        co_await _services->api.invoke_on_all([&intake, &logs](native_api& api) {
            add_ingest_routes(api.routes(), intake.local());
            add_log_routes(api.routes(), intake.local(), logs);
        });
    }
    if (_settings.own_metrics_seconds > 0) {
        const std::chrono::seconds every(_settings.own_metrics_seconds);
        auto& figures = _services->figures.emplace(intake.local(), *_services->data_disk, every);
        stop_later(figures);
        figures.start();
    }
    stop_later(_services->lines);
    co_return co_await _services->lines.start(_settings, intake);
}

seastar::future<base::expected<void>> app::start_queries() {
    if (_settings.http_port == 0) {
        co_return base::expected<void>();
    }
    auto& queries = _services->queries;
    auto& faces = _services->query_faces;
    const auto group = co_await seastar::create_scheduling_group("query", query_shares);
    co_await queries.start(query_config_for(_settings, _plan, group), std::ref(_services->tables),
                           seastar::sharded_parameter([this] { return &_services->logs.local(); }));
    stop_later(queries);
    co_await faces.start(std::ref(queries));
    stop_later(faces);
    co_await faces.invoke_on_all([this](query::http_face& face) { face.add_routes(_services->api.local().routes()); });
    co_await _services->api.invoke_on_all([this](native_api& api) {
        auto& upkeeper = *_services->upkeeper;
        add_retention_routes(api.routes(), upkeeper.keeper());
        add_table_routes(api.routes(), _services->tables, upkeeper.keeper(), first_account(_settings.accounts));
        add_disk_route(api.routes(), {_settings.data, _services->disk, _services->tables, _services->logs});
        add_flush_route(api.routes(), _services->tables, _services->logs);
        add_scrub_routes(api.routes(), upkeeper.verifier());
        add_snapshot_routes(api.routes(), *_services->snapshot_taker);
    });
    co_return base::expected<void>();
}

} // namespace server
