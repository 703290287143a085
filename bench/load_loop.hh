// Many keep-alive connections from one thread, so that the loader leaves the machine to the server.
//
// A group of connections sends requests of one kind: each as soon as its last one is answered, or all together at a given pace.
// At a pace the time of an answer counts from when its request was due, so that a server that stalls does not hide behind waiting
// senders.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/latencies.hh"

namespace bench {

struct load_group {
    unsigned connections;
    std::function<void(std::string&)> write_request; // into an empty string
    int status_wanted;
    double requests_per_second = 0; // 0: as fast as the answers come

    // Filled by run_load().
    uint64_t done = 0;
    uint64_t refused = 0; // 503
    uint64_t failed = 0;  // any other status
    unsigned lost = 0;    // connections that the server closed; the others go on
    double seconds = 0;
    latencies took = {}; // of those done
};

// For so long, and until what is under way then has been answered.
void run_load(uint16_t port, std::vector<load_group>& groups, double seconds);

} // namespace bench
