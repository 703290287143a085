// What a face gives the server: one function from a request to its reply.
#pragma once

#include <functional>

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>
#include <seastar/net/socket_defs.hh>

#include "http/body_reader.hh"
#include "http/core/request_head.hh"
#include "http/reply_writer.hh"

namespace http {

// Alive until the handler's future resolves, views of the head included.
struct request {
    const request_head& head;
    const seastar::socket_address& peer;
    body_reader& body;
    // Requested when nobody waits for the reply any more: the client went away (or stopped sending for good, which is what
    // clients do that go away), or the server stops and its patience is over.
    seastar::abort_source& disconnected;
    bool is_secure; // came over TLS
};

// Must finish the reply before its future resolves; a failed future becomes a 500 when nothing has been sent yet, and a cut
// connection otherwise. Runs for many connections at a time, on the shard of each.
using handler = std::function<seastar::future<>(request&, reply_writer&)>;

} // namespace http
