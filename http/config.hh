// What a face may choose about its listener. Every wait for a peer has an end, and every end a name.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "http/core/limits.hh"

namespace http {

struct deadlines {
    using duration = std::chrono::milliseconds;
    // Between requests. Clients keep pooled connections for about a minute and see a reset when the server is quicker.
    duration idle = std::chrono::seconds(75);
    // From the first byte of a head to its last: what a client that drips bytes can hold a connection for.
    duration head = std::chrono::seconds(10);
    // Without one more byte of a body.
    duration body_progress = std::chrono::seconds(30);
    // Without the peer taking the next write_piece_bytes_max of a reply.
    duration write_progress = std::chrono::seconds(30);
    // Without one more byte of what a refused client still sends, which is read away so that it sees the reply and not a reset.
    // Bytes of a body are waited for as long as one may stall, those of anything else no longer than this in all.
    duration linger = std::chrono::seconds(1);
    // For running requests when the server stops.
    duration stop = std::chrono::seconds(1);
};

struct server_config {
    std::string face = "native"; // label of the metrics; one server of a process for each
    parse_limits limits;
    deadlines waits;
    // Open connections of one shard. An idle one costs about 6 KiB of memory. Each also takes two of Seastar's networking
    // control blocks (a pending read, the watch for a hangup), and the reactor aborts when --max-networking-io-control-blocks
    // (10,000 by default) runs out: all listeners of a shard together must stay under half of that.
    size_t connections_max = 1024;
};

// Connections over the limit that are being told so at one time; those over this one are closed without a word.
constexpr size_t refusals_max = 64;
// What is read of a body that the handler left, to keep the connection; more is cheaper to cut off.
constexpr size_t drain_bytes_max = 64 * 1024;
// What is read away before a connection is closed, so that a refused body as large as any that some face takes whole costs its
// sender no reset.
constexpr size_t linger_bytes_max = 16 * 1024 * 1024;
// One read of a socket. Small enough for ten thousand slow clients, large enough for a usual request in one call; bulk
// bodies make it grow.
constexpr unsigned read_bytes_min = 4 * 1024;
constexpr unsigned read_bytes_max = 64 * 1024;
// One write to a socket, so that progress can be seen between two.
constexpr size_t write_piece_bytes_max = 64 * 1024;
// A body up to this is copied behind its head and sent with it as one buffer; a larger one travels as it is.
constexpr size_t inline_body_bytes_max = 8 * 1024;

} // namespace http
