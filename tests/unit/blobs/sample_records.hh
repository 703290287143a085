// Seeded records for the tests of blobs: lines of made-up services, and the things that go wrong in logs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "blobs/core/record.hh"

namespace blobs::test {

// A record that owns its bytes.
struct owned_record {
    record_order order;
    uint8_t level = level_none;
    std::string host;
    std::string app;
    std::string text;
    size_t message_begin = 0; // in the text, unless it is apart
    size_t message_size = 0;
    bool is_message_apart = false;
    std::string message_apart;
    struct field {
        std::string name;
        base::value_type type = base::value_type::string;
        bool is_in_text = false;
        size_t begin = 0;
        size_t size = 0;
        std::string bytes;
        uint64_t bits = 0;
    };
    std::vector<field> fields;

    // Borrows from this record and from `scratch`.
    record view(std::vector<base::property>& scratch) const;
};

class record_source {
public:
    explicit record_source(uint64_t seed) : _random(seed) {}

    // Like a service's log: few templates, times that go up, some repeated ids.
    owned_record line();
    // Anything: empty, binary, long, many lines, odd numbers, all kinds of fields.
    owned_record nasty();
    // A mixture, in order.
    std::vector<owned_record> records(size_t count, unsigned nasty_percent);

    uint64_t below(uint64_t end) { return _random() % end; }
    std::string letters(size_t size);
    std::string hex(size_t size);
    std::string uuid();

private:
    void add_fields(owned_record&);
    void take_order(owned_record&);

    std::mt19937_64 _random;
    int64_t _time_ns = 1'794'816'000'000'000'000;
    uint64_t _sequence = 0;
    std::vector<std::string> _ids;
};

// The raw text of all: each with a line feed.
std::string raw_text(const std::vector<owned_record>&);

} // namespace blobs::test
