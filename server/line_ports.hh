// The TCP ports for lines: a listener for each protocol that has a port, all over one intake. Lives on shard 0.
#pragma once

#include <array>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "ingest/intake.hh"
#include "ingest/tcp_listener.hh"
#include "server/core/settings.hh"

namespace server {

class line_ports {
public:
    // The settings must outlive the future, and the intake this. With an error, whatever had started is still to be stopped.
    seastar::future<base::expected<void>> start(const settings&, seastar::sharded<ingest::intake>&);
    // The last to have started stops first.
    seastar::future<> stop();

private:
    std::array<seastar::sharded<ingest::tcp_listener>, 4> _listeners; // those of protocols without a port never start
};

} // namespace server
