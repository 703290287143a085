// The body of one request, as its handler reads it: piece by piece, or whole when it is small. A body that is left unread is
// read away, or the connection closed, after the reply.
#pragma once

#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/temporary_buffer.hh>

#include "http/core/protocol_error.hh"
#include "http/input.hh"
#include "http/wire.hh"

namespace http {

class body_reader {
public:
    body_reader(input&, wire&);

    // The next piece, of any size but zero; an empty one when there is no more. The bytes are the caller's to keep. An error
    // (400 broken, 408 too slow, 431 padded) is final: reply with it, the connection ends after that.
    // The first call tells a client that asked (Expect: 100-continue) to go on.
    seastar::future<result<seastar::temporary_buffer<char>>> next();
    // All of it must have come when this much time from now is over, or the next read is a 408. Without it, a body may take as
    // long as it makes progress.
    void limit_time(wire::clock::duration whole) { _input.end_body_at(wire::clock::now() + whole); }
    // All that is left, or 413 when it is more than `bytes_max`; a declared length is checked before anything is read. 503 when
    // it is more than there is memory for.
    seastar::future<result<std::string>> read_all(size_t bytes_max);

    // Whether the connection can go on after this request: what is left is nothing, or little, and will be sent for sure.
    bool can_be_skipped() const;

private:
    uint64_t declared_bytes_left() const;

    input& _input;
    wire& _wire;
    bool _owes_continue; // the client waits for a word before it sends the body
};

} // namespace http
