// How far somebody knows the partitions of a table on one shard, in the order they came: each memtable remembers that order, and
// a segment brings what the memtables it was made of had. Whoever keeps to it knows every partition there is, and maybe some that
// are gone: none is ever taken back.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>

namespace tables {

struct partitions_mark {
    uint64_t memtable = 0; // of this start, from 1 on; 0: nothing is known
    uint64_t count = 0;    // of its partitions; all of those before it are known

    auto operator<=>(const partitions_mark&) const = default;
};

// How often a write has brought a memtable of a table on one shard a partition, for all shards to look at: as long as it stays
// the same, who knew every partition knows every partition. It is moved before the write is answered, and outlives the table.
using partitions_made = std::shared_ptr<const std::atomic<uint64_t>>;

} // namespace tables
