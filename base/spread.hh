// A spread family fans each series out over some partitions: "<series>~<two hex digits>". Which one a row belongs to follows from
// its time alone, so that a retry and a merge of the same time meet the same row. A spread of 1 has no suffix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace base {

constexpr unsigned spread_max = 256;

// Below `spread`. On disk: never changes for a time. Needs: 1 <= spread <= spread_max.
unsigned spread_bucket(int64_t time_ns, unsigned spread);

void append_spread_suffix(unsigned bucket, std::string& partition_key);

// Takes the suffix off a PartitionKey and returns its bucket; nothing when it has none (no series ends like that by itself).
std::optional<unsigned> take_spread_suffix(std::string_view& partition_key);

} // namespace base
