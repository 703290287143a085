// Entries that nobody answers: lines and syslog messages over TCP. What was sent long enough before a kill must be there, and all
// of it when the server has closed the connection after us.
#pragma once

#include <deque>

#include "tests/torture/stream_load.hh"

namespace torture {

class tcp_stream_load final : public stream_load {
public:
    using stream_load::stream_load;

    std::string name() const override {
        return place().what == stream_place::kind::family ? "lines over TCP" : "syslog over TCP";
    }

private:
    struct sent_burst {
        uint64_t first = 0;
        uint64_t count = 0;
        std::chrono::steady_clock::time_point at;
    };
    void write(site&, std::mt19937_64& random) override;
    std::string bytes_of(uint64_t n, std::mt19937_64& random) const;
    // `is_whole`: the server has read to the end and closed the connection.
    void settle(site&, const std::deque<sent_burst>&, bool is_whole);
};

} // namespace torture
