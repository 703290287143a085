// What a memtable keeps in its arena. Each structure is followed by the bytes it belongs with; none needs a destructor.
#pragma once

#include <cstring>
#include <new>
#include <type_traits>

#include "base/checksum.hh"
#include "tables/core/memtable.hh"

namespace tables {

// One write, or a fold; behind it, the packed row.
struct memtable::version {
    base::sequence sequence;
    base::tick timestamp;
    version* older;
    const shape* columns; // null for a remove
    uint32_t packed_bytes;
    row_kind kind;
    bool is_fold;

    char* packed() { return reinterpret_cast<char*>(this + 1); }
    row_version view() const {
        const std::string_view bytes(reinterpret_cast<const char*>(this + 1), packed_bytes);
        return {sequence, kind, timestamp, columns != nullptr ? row_view(*columns, bytes) : row_view()};
    }
};

// One key; behind it, the row key and then its first version, since most have no other.
struct memtable::row {
    version* newest;
    uint32_t key_bytes;

    std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_bytes}; }
};

// Behind it, the partition key.
struct memtable::partition {
    uint64_t hash;
    partition* next_in_bucket;
    partition* followed_by; // the partition of the next insert, the last time: series keep coming in the same order
    partition* made_before; // the one that came last when this one came
    ordered_index<row> rows;
    uint64_t least_code; // of its row keys, so that a walk over partitions need not look at rows
    uint64_t greatest_code;
    uint32_t key_bytes;

    std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_bytes}; }
};

} // namespace tables
