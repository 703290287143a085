// The services of one server, in the order they start; they stop in the exact reverse.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/net/tls.hh>

#include "base/error.hh"
#include "http/server.hh"
#include "query/executor.hh"
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

    seastar::future<base::expected<seastar::tls::credentials_builder>> load_credentials();
    http::server_config config_for(std::string face) const;
    // Listener has listen(address, credentials).
    template <class Listener>
    seastar::future<base::expected<void>> listen(seastar::sharded<Listener>&, uint16_t port, std::string_view option);
    seastar::future<base::expected<void>> start_native();
    seastar::future<base::expected<void>> start_tables();
    void start_retention();
    seastar::future<> keep_own_for_a_while();
    seastar::future<> start_scrubs(seastar::scheduling_group);
    seastar::future<base::expected<void>> start_table_service();
    seastar::future<base::expected<void>> start_blob_service();
    seastar::future<base::expected<void>> start_ingest();
    seastar::future<base::expected<void>> start_line_ports();
    query::executor_config query_config(seastar::scheduling_group) const;
    seastar::future<> start_queries();

    settings _settings;
    resource_plan _plan;
    std::unique_ptr<services> _services;
    std::vector<std::function<seastar::future<>()>> _stops; // of what has started, oldest first
};

} // namespace server
