// A TCP port of one protocol: one instance on each shard, all on the same address. Connections of all such ports count together
// (intake_config::connections_max); one too many is closed at once.
#pragma once

#include <boost/intrusive/list.hpp>

#include <seastar/core/gate.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/timer.hh>
#include <seastar/net/api.hh>
#include <seastar/net/tls.hh>

#include "ingest/tcp_connection.hh"

namespace ingest {

// Longer than any agent's interval, shorter than dead peers should be kept.
constexpr auto idle_max = std::chrono::minutes(10);

// Time for the longest line over a slow connection. Who stays in one for longer keeps a place that others want.
constexpr auto begun_line_max = std::chrono::minutes(1);

class tcp_listener {
public:
    tcp_listener(protocol, seastar::sharded<intake>&, std::chrono::milliseconds idle = idle_max,
                 std::chrono::milliseconds line_max = begun_line_max);

    // As http::server::listen().
    void listen(seastar::socket_address, seastar::shared_ptr<seastar::tls::server_credentials> = {});
    seastar::socket_address address() const { return _listener.local_address(); }

    // Stops accepting and reading. Resolves when everything that was read is on stable storage, or cannot be stored.
    seastar::future<> stop();

private:
    using connection_list = boost::intrusive::list<tcp_connection, boost::intrusive::constant_time_size<false>>;

    seastar::future<> accept();
    void admit(seastar::accept_result);
    seastar::future<> serve(seastar::accept_result);
    void sweep();

    intake& _intake;
    tcp_connection::context _context;
    connection_list _connections;
    seastar::server_socket _listener;
    seastar::shared_ptr<seastar::tls::server_credentials> _credentials; // null: plain
    seastar::future<> _accepting = seastar::make_ready_future<>();
    seastar::gate _gate; // every connection is inside
    seastar::timer<seastar::lowres_clock> _sweeper;
};

} // namespace ingest
