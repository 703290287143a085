#include "tests/torture/tcp_stream_load.hh"

#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "tests/server/line_client.hh"
#include "tests/torture/http_stream_load.hh"

namespace torture {
namespace {

constexpr uint64_t burst_entries_max = 20;
constexpr auto pause = std::chrono::milliseconds(2);
// The promise is 200 ms on a server that keeps up, and tests/server/ingest_test.cc holds it to that. Here it is given more to do
// than it can, and reads more slowly, as promised too.
constexpr auto sent_early_enough = std::chrono::seconds(2);

std::string syslog_of(const stream_place& place, uint64_t n) {
    const auto ns = place.time_ns(n);
    const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(ns / 1000)};
    return fmt::format("<134>1 {:%FT%TZ} torturer {} - - - {}", time, place.name, entry_text(n));
}

} // namespace

std::string tcp_stream_load::bytes_of(uint64_t n, std::mt19937_64& random) const {
    if (place().what == stream_place::kind::family) {
        return line_of(place(), n);
    }
    const auto message = syslog_of(place(), n);
    return random() % 2 == 0 ? message + '\n' : fmt::format("{} {}", message.size(), message);
}

void tcp_stream_load::write(site& s, std::mt19937_64& random) {
    const auto port = place().what == stream_place::kind::family ? s.line_port : s.syslog_port;
    std::deque<sent_burst> sent;
    bool is_whole = false;
    try {
        testing_lib::line_client client(port);
        for (; !s.is_over; std::this_thread::sleep_for(pause)) {
            const auto count = 1 + random() % burst_entries_max;
            const auto first = oracle().begin_sending(count);
            std::string bytes;
            for (auto n = first; n < first + count; ++n) {
                bytes += bytes_of(n, random);
            }
            if (!client.send(bytes)) {
                settle(s, sent, false);
                return;
            }
            sent.push_back({first, count, std::chrono::steady_clock::now()});
        }
        client.finish();
        is_whole = true;
    } catch (const std::runtime_error&) { // nobody listens any more
    }
    settle(s, sent, is_whole);
}

void tcp_stream_load::settle(site& s, const std::deque<sent_burst>& sent, bool is_whole) {
    if (!is_whole && !s.is_over) {
        s.found.violated("P6", place().name + ": the connection was closed upon its sender");
    }
    while (s.is_to_be_killed && s.killed_at.load() == std::chrono::steady_clock::time_point()) {
        std::this_thread::sleep_for(pause);
    }
    for (const auto& burst : sent) {
        if (s.is_to_be_killed ? std::max(burst.at, s.resumed_at.load()) + sent_early_enough < s.killed_at.load() : is_whole) {
            oracle().acknowledged(burst.first, burst.count);
        }
    }
}

} // namespace torture
