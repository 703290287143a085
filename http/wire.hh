// One client's socket: bytes in, bytes out, and an end to every wait. There is no timer per connection: the server sweeps all
// of them now and then with expire(), so that a request pays two stores for its deadlines.
//
// One read and one write may be under way at a time.
#pragma once

#include <vector>

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>
#include <seastar/core/iostream.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/temporary_buffer.hh>
#include <seastar/net/api.hh>

#include "http/config.hh"
#include "http/counters.hh"
#include "http/tls_socket.hh"

namespace http {

class wire {
public:
    using clock = seastar::lowres_clock;
    using buffer = seastar::temporary_buffer<char>;

    wire(client_socket, const deadlines&, counters&);
    wire(const wire&) = delete;

    // The next bytes; empty at the end of input, after an error and when the deadline has passed. Never fails.
    seastar::future<buffer> read(clock::time_point deadline);
    bool has_expired() const { return _has_expired; }

    // Resolves when the kernel has taken everything. Fails when the peer is gone or takes too long; then is_broken() holds.
    seastar::future<> write(buffer);
    seastar::future<> write(std::vector<buffer>);
    bool is_broken() const { return _is_broken; }

    // Requested when the peer goes away or stops sending for good, and by cut(). Replies may still reach a peer that only
    // stopped sending.
    seastar::abort_source& disconnected() { return _disconnected; }

    // Ends waits whose deadline has passed.
    void expire(clock::time_point now);
    // Ends a read under way, and all later ones, as if the peer had stopped sending. (TLS cannot write after this.)
    void shutdown_input() noexcept;
    // No byte goes out after this; the peer sees the end. (TLS cannot read after this.)
    void shutdown_output() noexcept;
    // Ends everything now.
    void cut() noexcept;
    // Must be called once, with no read or write under way, before destruction. Over TLS the peer gets deadlines::linger to
    // answer the goodbye. Never fails.
    seastar::future<> close();

    bool is_secure() const { return static_cast<bool>(_socket.tcp); }

private:
    // Bytes is a buffer or a vector of them, of `size` bytes together.
    template <class Bytes>
    seastar::future<> put(Bytes, size_t size);
    seastar::future<> write_in_pieces(std::vector<buffer>);
    void request_disconnected() noexcept;
    seastar::connected_socket& tcp() { return _socket.tcp ? *_socket.tcp : _socket.stream; }

    client_socket _socket;
    seastar::data_source _source;
    seastar::data_sink _sink;
    seastar::abort_source _disconnected;
    seastar::future<> _watch; // resolves when the peer stops sending or shutdown_input() was called
    const deadlines& _waits;
    counters& _counters;
    clock::time_point _read_deadline = clock::time_point::max();
    clock::time_point _write_deadline = clock::time_point::max(); // also of the goodbye
    bool _has_expired = false;
    bool _is_over = false; // no more input
    bool _is_broken = false;
};

} // namespace http
