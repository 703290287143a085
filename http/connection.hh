// One client: requests in, replies out, in order, until either side has had enough.
#pragma once

#include <boost/intrusive/list_hook.hpp>

#include <seastar/core/future.hh>
#include <seastar/net/socket_defs.hh>

#include "http/handler.hh"
#include "http/input.hh"
#include "http/wire.hh"

namespace http {

// What all connections of a listener share; outlives them.
struct connection_context {
    const server_config& config;
    const handler& handle;
    reply_context reply;
};

class connection : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    connection(client_socket, seastar::socket_address peer, const connection_context&);

    // Serves requests to the end of the connection. Never fails.
    seastar::future<> run();
    // Tells the client that there are too many, and ends. Never fails.
    seastar::future<> turn_away();

    void expire(wire::clock::time_point now) { _wire.expire(now); }
    // Ends it if it waits for a request; called when the server stops.
    void end_if_idle();
    // Ends a running request, too.
    void cut() { _wire.cut(); }

private:
    seastar::future<> serve();
    seastar::future<bool> serve_request();
    seastar::future<> call_handler(request&, reply_writer&);
    seastar::future<bool> drain();
    seastar::future<> reply_to_broken(protocol_error);
    seastar::future<> linger(deadlines::duration patience);

    const connection_context& _context;
    const seastar::socket_address _peer;
    wire _wire;
    input _input;
};

} // namespace http
