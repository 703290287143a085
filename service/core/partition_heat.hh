// Which partitions the most of a shard's requests are for. Whoever asks for one of them is served after the others, so that a hot
// partition makes itself slow and nobody else.
//
// It counts over the last tenths of a second, in a fixed table: a partition is looked up in two places of it, and what it has in
// the emptier one is at least what it really had. So none that is hot is missed, and one that is not is rarely mistaken.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace service {

class partition_heat {
public:
    using time_point = std::chrono::steady_clock::time_point;

    // Counts a request with a body of so many bytes; true when its partition is hot. `partition` is a hash. Time never falls.
    bool note(uint64_t partition, uint64_t body_bytes, time_point now);

private:
    static constexpr unsigned rows_count = 2;
    static constexpr unsigned row_places = 1024;

    struct window {
        std::array<std::array<uint64_t, row_places>, rows_count> work{};
        uint64_t total = 0;

        void add(uint64_t partition, uint64_t amount);
        uint64_t of(uint64_t partition) const;
    };

    void turn(time_point now);

    window _now;
    window _before; // the one before that
    time_point _begun{};
};

} // namespace service
