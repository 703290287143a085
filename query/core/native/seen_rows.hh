// The rows a live tail has dealt with, so that none is sent twice, however often the same stretch of time is looked through.
// Bounded: the oldest are forgotten first, and then what is older than the floor is not looked for any more.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "query/core/native/time_range.hh"

namespace query {

class seen_rows {
public:
    explicit seen_rows(size_t rows_max) : _rows_max(rows_max) {}

    // False when it was there already, or is below the floor.
    bool insert(int64_t time_ns, uint64_t hash) {
        if (time_ns < _floor_ns || !_rows.emplace(time_ns, hash).second) {
            return false;
        }
        if (_rows.size() > _rows_max) {
            // All of one time go together, or some of them would come back.
            raise_floor(_rows.begin()->first + 1);
        }
        return true;
    }
    void raise_floor(int64_t time_ns) {
        _floor_ns = std::max(_floor_ns, time_ns);
        _rows.erase(_rows.begin(), _rows.lower_bound({_floor_ns, 0}));
    }
    int64_t floor_ns() const { return _floor_ns; }
    size_t size() const { return _rows.size(); }

private:
    size_t _rows_max;
    std::set<std::pair<int64_t, uint64_t>> _rows; // time and hash of the keys
    int64_t _floor_ns = time_range::always;
};

} // namespace query
