// The reading half of a connection: socket bytes -> heads and bodies, one request at a time. It reads ahead only what one
// read of the socket brings, so a client that pipelines waits in the kernel's buffers.
#pragma once

#include <seastar/core/future.hh>
#include <seastar/core/temporary_buffer.hh>

#include "http/config.hh"
#include "http/core/request_parser.hh"
#include "http/wire.hh"

namespace http {

class input {
public:
    input(wire&, const parse_limits&, const deadlines&);

    // Waits for the next head; false when the client closed or stayed idle. The request before it must be complete.
    seastar::future<result<bool>> next_head();
    // Its views hold until next_head() is called again, whatever is read of the body meanwhile.
    const request_head& head() const { return _parser.head(); }
    // The next piece of the body; empty when there is no more. An error is final.
    seastar::future<result<wire::buffer>> next_piece();
    // When the body of this request must have come.
    void end_body_at(wire::clock::time_point deadline) { _body_deadline = deadline; }
    // The request has been read to its end.
    bool is_complete() const { return _is_complete; }
    // The rest of the stream makes no sense, or will not come.
    bool has_failed() const { return _has_failed; }
    // Body bytes handed out so far.
    uint64_t received_bytes() const { return _received_bytes; }
    // Bytes of the body, or of the next request, have already arrived.
    bool has_buffered() const { return !_buffer.empty(); }
    // Nothing of a next request has arrived; the connection could end without anybody missing anything.
    bool is_idle() const { return _parser.is_between_requests() && _buffer.empty(); }

private:
    result<parse_event> parse();
    seastar::future<result<wire::buffer>> wait_for_piece();
    std::unexpected<protocol_error> end_of_input();

    wire& _wire;
    const deadlines& _waits;
    request_parser _parser;
    wire::buffer _buffer;      // read, not yet consumed
    wire::buffer _head_buffer; // what the head's views point into, once _buffer had to move on
    wire::buffer _piece;       // of the body, just parsed
    wire::clock::time_point _head_deadline;
    wire::clock::time_point _body_deadline = wire::clock::time_point::max();
    uint64_t _received_bytes = 0;
    bool _has_request = false;
    bool _is_complete = true;
    bool _has_failed = false;
};

} // namespace http
