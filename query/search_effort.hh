// What a shard has done for a search so far, and what follows from it: a trial that turns out to be much work is given up, and
// any search that does goes on in the scheduling group of queries.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "query/core/native/time_steps.hh"

namespace query {

class search_effort {
public:
    // Without bounds it is no trial.
    explicit search_effort(std::optional<trial_bounds> bounds) : _bounds(bounds) {}

    void add_rows(uint64_t examined) {
        _rows += examined;
        _is_given_up |= _bounds && _rows > std::max(_bounds->rows_max, _partitions * rows_per_partition);
    }
    void add_partitions(size_t count) {
        _partitions += count;
        _is_given_up |= _bounds && _partitions > _bounds->partitions_max;
    }

    // Of a partition, as far as they are known.
    void add_times(time_range times) {
        _times = {std::min(_times.start_ns, times.start_ns), std::max(_times.end_ns, times.end_ns)};
    }

    bool is_given_up() const { return _is_given_up; }
    // Of all rows there may be.
    time_range times() const { return _times; }
    // A moment's work.
    bool is_light() const { return _rows <= light_rows_max && _partitions <= light_partitions_max; }
    // Until when one call of the engine may work: soon, as long as it is not known how much work there is.
    std::chrono::steady_clock::time_point slice_end() const {
        using clock = std::chrono::steady_clock;
        return _bounds || is_light() ? clock::now() + slice : clock::time_point::max();
    }

private:
    // Looking for a partition is work by itself, so a trial over many may as well look at some rows of each.
    static constexpr uint64_t rows_per_partition = 4;
    static constexpr uint64_t light_rows_max = 4'096;
    static constexpr size_t light_partitions_max = 16;
    static constexpr std::chrono::milliseconds slice{5};

    std::optional<trial_bounds> _bounds;
    uint64_t _rows = 0;
    size_t _partitions = 0;
    time_range _times{time_range::forever, time_range::always};
    bool _is_given_up = false;
};

} // namespace query
