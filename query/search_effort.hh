// What a shard has done for a search so far, and what follows from it: a trial that turns out to be much work is given up, and
// any search that does goes on in the scheduling group of queries.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace query {

class search_effort {
public:
    search_effort(bool is_trial, size_t rows_wanted)
        : _is_trial(is_trial), _rows_max(std::max(trial_rows_min, uint64_t{rows_wanted})) {}

    void add_rows(uint64_t examined) {
        _rows += examined;
        _is_given_up |= _is_trial && _rows > _rows_max;
    }
    void add_partitions(size_t count) {
        _partitions += count;
        _is_given_up |= _is_trial && _partitions > trial_partitions_max;
    }

    bool is_given_up() const { return _is_given_up; }
    // A moment's work.
    bool is_light() const { return _rows <= light_rows_max && _partitions <= light_partitions_max; }
    // Until when one call of the engine may work: soon, as long as it is not known how much work there is.
    std::chrono::steady_clock::time_point slice_end() const {
        using clock = std::chrono::steady_clock;
        return _is_trial || is_light() ? clock::now() + slice : clock::time_point::max();
    }

private:
    // A trial for a long page may look at as many rows as that has.
    static constexpr uint64_t trial_rows_min = 4'096;
    static constexpr size_t trial_partitions_max = 64;
    static constexpr uint64_t light_rows_max = 4'096;
    static constexpr size_t light_partitions_max = 16;
    static constexpr std::chrono::milliseconds slice{5};

    bool _is_trial;
    uint64_t _rows_max; // of a trial
    uint64_t _rows = 0;
    size_t _partitions = 0;
    bool _is_given_up = false;
};

} // namespace query
