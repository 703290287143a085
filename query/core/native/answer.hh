// What an answer says about itself besides its rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/core/native/damage.hh"
#include "query/core/native/time_range.hh"

namespace query {

struct answer_facts {
    time_range range; // covered, half-open
    uint64_t rows_examined = 0;
    uint64_t rows_skipped = 0;         // without a time in their key
    uint64_t blocks_read = 0;          // of segments and blobs, from the disk or at hand
    std::string cursor;                // empty: nothing is left
    double percentile_error = 0;       // of p50..p99: at most this part of the value; 0: exact
    std::vector<damaged_range> damage; // left out; at most damaged_ranges_max
};

} // namespace query
