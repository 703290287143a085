// What the server does with a disk of a given size: how much of it stays free, and how large its logs become.
#pragma once

#include <cstdint>

namespace server {

// As it was set.
struct disk_wishes {
    uint64_t reserve_bytes = 0;
    unsigned high_water_percent = 0; // of the disk; 0: not set
    bool drops_oldest = false;       // over the high-water mark, tables that have a policy go
};

struct disk_plan {
    // Below this much free space writes are refused.
    uint64_t reserve_bytes = 0;
    // Over this much used space the oldest tables go; 0: none do.
    uint64_t high_water_bytes = 0;
    // Of the log of each shard: one file, and what all may hold before their rows go to segments.
    uint64_t log_file_bytes = 0;
    uint64_t log_bytes_max = 0;
};

constexpr unsigned high_water_percent_default = 90;

disk_plan plan_disk(uint64_t total_bytes, unsigned shards_count, const disk_wishes&);

} // namespace server
