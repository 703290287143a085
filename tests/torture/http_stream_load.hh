// Entries in requests that are answered when they are durable: line protocol to /write, records to /v1/logs.
#pragma once

#include "tests/torture/stream_load.hh"

namespace torture {

class http_stream_load final : public stream_load {
public:
    using stream_load::stream_load;

    std::string name() const override {
        return place().what == stream_place::kind::family ? "points over HTTP" : "records over HTTP";
    }

private:
    void write(site&, std::mt19937_64& random) override;
    std::string body(uint64_t first, uint64_t count) const;
};

// A line of line protocol. The series changes with the number, so that all shards have some.
std::string line_of(const stream_place&, uint64_t n);

} // namespace torture
