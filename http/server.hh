// An HTTP/1.1 listener: one instance per shard (seastar::sharded<server>), all on the same address; Seastar hands each new
// connection to the shard with the fewest.
//
//   sharded.start(config, sharded_parameter([&] { return make_handler(services.local()); }))
//   sharded.invoke_on_all([=](server& s) { s.listen(address); })
//   ...
//   sharded.stop()
#pragma once

#include <boost/intrusive/list.hpp>

#include <seastar/core/gate.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/timer.hh>
#include <seastar/net/api.hh>
#include <seastar/net/tls.hh>

#include "http/config.hh"
#include "http/connection.hh"
#include "http/counters.hh"
#include "http/date_text.hh"
#include "http/handler.hh"

namespace http {

class server {
public:
    server(server_config, handler, error_handler = reply_in_plain_text);
    server(const server&) = delete;

    // Starts to accept. Throws std::system_error when the address cannot be bound. With credentials (of this shard), every
    // connection is TLS. Port 0 picks a free port; while it is in use no second server of the process can ask for port 0 of
    // that address when there is more than one shard.
    void listen(seastar::socket_address, seastar::shared_ptr<seastar::tls::server_credentials> = {});
    // Where it listens; on shard 0 only, when there is more than one.
    seastar::socket_address address() const { return _listener.local_address(); }

    // Stops accepting, ends idle connections, gives running requests deadlines::stop to finish, then cuts them off. Resolves
    // when every handler has returned.
    seastar::future<> stop();

    const counters& counts() const { return _counters; }

private:
    using connection_list = boost::intrusive::list<connection, boost::intrusive::constant_time_size<false>>;

    seastar::future<> accept();
    void admit(seastar::accept_result);
    seastar::future<client_socket> open(seastar::connected_socket);
    seastar::future<> serve(seastar::accept_result);
    seastar::future<> turn_away(seastar::accept_result);
    void sweep();

    const server_config _config;
    const handler _handle;
    const error_handler _on_error;
    counters _counters;
    date_text _date;
    connection_context _context;
    size_t _refusals_count = 0; // under way
    connection_list _connections;
    seastar::server_socket _listener;
    seastar::shared_ptr<seastar::tls::server_credentials> _credentials; // null: plain
    seastar::future<> _accepting = seastar::make_ready_future<>();
    seastar::gate _gate; // every connection is inside
    seastar::timer<seastar::lowres_clock> _sweeper;
    seastar::metrics::metric_groups _metrics;
};

} // namespace http
