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
        std::chrono::milliseconds line_max; // for a line that has begun
        http::counters wire_counts;
        seastar::abort_source stopping;
    };

    tcp_connection(http::client_socket, seastar::socket_address peer, context&);

    // Takes lines in until the sender ends, stays idle or in a line for too long, or cut(). Never fails.
    seastar::future<> run();

    void expire(http::wire::clock::time_point now) { _wire.expire(now); }
    void cut() { _wire.cut(); }

private:
    using arrival = std::chrono::steady_clock;

    seastar::future<> take_all();
    seastar::future<http::wire::buffer> read();
    seastar::future<http::wire::buffer> read_beside_open_string();
    seastar::future<> give_up_string();
    // Feeds it and notes since when the line has been under way that it ends with. As stream::feed().
    bool feed(http::wire::buffer);
    seastar::future<> wait_for_memory(size_t bytes);
    void log_rejected();
    void log_trouble(seastar::future<>);

    context& _context;
    const seastar::socket_address _peer;
    http::wire _wire;
    std::unique_ptr<stream> _lines;
    batch_writer _writer;
    http::wire::clock::time_point _begun_at;       // of the line that has begun, if one has
    http::wire::clock::time_point _string_open_at; // likewise of its string, if lines may be held up by that
};

} // namespace ingest
