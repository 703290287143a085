// A stretch of data that an answer had to leave out, as it cannot be read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "query/core/native/plan.hh"
#include "query/core/native/time_range.hh"
#include "tables/core/damaged_keys.hh"

namespace query {

// So many are told of an answer: they go into a header field, too.
constexpr size_t damaged_ranges_max = 16;

struct damaged_range {
    std::string table;                           // its name; empty: of a blob
    std::string first_partition, last_partition; // of a table; both empty: any
    std::string blob;                            // its name; empty: of a table
    time_range times;                            // what lay there is within
    std::string why;                             // names the file or the block

    bool operator==(const damaged_range&) const = default;
};

damaged_range range_of(const table_part&, const tables::damaged_keys&);

// [{"table":...,"start":...,"end":...,"partitions":[first,last],"why":...},{"blob":...,"start":...,"end":...,"why":...}]
void append_json_damage(std::span<const damaged_range>, std::string& out);

} // namespace query
