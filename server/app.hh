// The services of one server, in the order they start; they stop in the exact reverse.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "http/server.hh"
#include "server/core/resources.hh"
#include "server/core/settings.hh"

namespace server {

// Lives on shard 0.
class app {
public:
    app(settings, resource_plan);
    ~app();

    // When this resolves with a value, everything serves. With an error, whatever had started is still to be stopped.
    seastar::future<base::expected<void>> start();
    // Takes the account keys and the token of these settings, and nothing else of them, without a pause; or logs why not. Needs:
    // started.
    seastar::future<> reload(base::expected<settings>);
    // Safe after a failed or partial start; nothing runs when it resolves.
    seastar::future<> stop();

private:
    struct services;

    // The steps of start(). What is turned off does nothing.
    seastar::future<base::expected<void>> start_native();
    seastar::future<base::expected<void>> start_stores();
    seastar::future<base::expected<void>> start_upkeep();
    seastar::future<base::expected<void>> start_table_service();
    seastar::future<base::expected<void>> start_blob_service();
    seastar::future<base::expected<void>> start_ingest();
    seastar::future<base::expected<void>> start_queries();

    // HTTP servers over faces that have started. `name` is for the metrics.
    template <class Face>
    seastar::future<> start_servers(seastar::sharded<Face>&, seastar::sharded<http::server>&, std::string name);

    // It stops before all that had started earlier; it is one of the services.
    template <class Service>
    void stop_later(Service& started) {
        _stops.emplace_back([&started] { return started.stop(); });
    }

    settings _settings;
    resource_plan _plan;
    std::unique_ptr<services> _services;
    std::vector<std::function<seastar::future<>()>> _stops; // of what has started, oldest first
};

} // namespace server
