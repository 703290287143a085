// What a piece of load is, and what it works with.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "tests/torture/verdict.hh"
#include "tests/torture/wall_clock.hh"

namespace torture {

// A server that runs now.
struct site {
    uint16_t native_port = 0;
    uint16_t table_port = 0;
    uint16_t line_port = 0;
    uint16_t syslog_port = 0;
    wall_clock& clock;
    verdict& found;
    // When the server last went on after a pause, and when it was killed (at the end of a round that ends so).
    std::atomic<std::chrono::steady_clock::time_point> resumed_at = {};
    std::atomic<std::chrono::steady_clock::time_point> killed_at = {};
    std::atomic<bool> is_to_be_killed = false;
    // The round is over: clients come to an end. From then on lost connections are expected.
    std::atomic<bool> is_over = false;
};

// How much verify() looks at: what came last, or all there ever was.
enum class depth { recent, all };
// Whether errors are answers: with a damaged block they are, wrong data never is.
enum class damage { none, expected };

// One client with its own idea of what must be there. It lives as long as the run; servers come and go.
class workload {
public:
    virtual ~workload() = default;
    virtual std::string name() const = 0;
    // Until site::is_over, in a thread of its own.
    virtual void run(site&, std::mt19937_64& random) = 0;
    // On a server that nobody else uses. Says how many reads were errors.
    virtual size_t verify(site&, depth, damage) = 0;
    // Entries, entities, answers: what it has had acknowledged in the whole run.
    virtual uint64_t acknowledged_count() const = 0;
};

} // namespace torture
