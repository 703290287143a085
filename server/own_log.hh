// The server's own log as records of the source `downtick`, beside where it goes anyway: GET /v1/tail?from=source:downtick. One
// on each shard.
//
// Lines are kept where they are logged, and become records a second later at most: whoever logs never waits, and a line about a
// write that failed cannot make the next one fail. What is logged before listen() is in no record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/timer.hh>

#include "blobs/log_store.hh"

namespace server {

class own_log {
public:
    // Once, on any shard, before the first one starts and after the last one has stopped.
    static void listen();
    static void stop_listening();

    // The store is that of this shard, and open.
    explicit own_log(blobs::log_store&);

    void start();
    // What was logged so far is durable when it resolves.
    seastar::future<> stop();

private:
    seastar::future<> write();

    blobs::log_store& _store;
    bool _is_writing = false;
    seastar::timer<> _timer;
    seastar::gate _work;
};

} // namespace server
