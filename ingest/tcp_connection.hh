// One sender of lines over TCP: bytes in, nothing out. What it sent is on its way to stable storage as soon as it is read, and
// there at the latest when the connection has ended. When the tables cannot keep up nothing more is read, and TCP slows the
// sender down.
#pragma once

#include <memory>

#include <boost/intrusive/list_hook.hpp>

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>
#include <seastar/net/socket_defs.hh>

#include "http/wire.hh"
#include "ingest/batch_writer.hh"
#include "ingest/stream.hh"

namespace ingest {

class tcp_connection : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    // What all connections of a listener share; outlives them.
    struct context {
        intake& in;
        protocol spoken;
        http::deadlines waits;
        http::counters wire_counts;
        seastar::abort_source stopping;
    };

    tcp_connection(http::client_socket, seastar::socket_address peer, context&);

    // Takes lines in until the sender ends, stays idle for too long, or cut(). Never fails.
    seastar::future<> run();

    void expire(http::wire::clock::time_point now) { _wire.expire(now); }
    void cut() { _wire.cut(); }

private:
    seastar::future<> take_all();
    seastar::future<> wait_for_memory(size_t bytes);
    void log_rejected();

    context& _context;
    const seastar::socket_address _peer;
    http::wire _wire;
    std::unique_ptr<stream> _lines;
    batch_writer _writer;
};

} // namespace ingest
