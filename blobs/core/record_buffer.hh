// Records of one source and period that are not in a blob yet: they are durable in the log, searched here, and one day sealed.
// Kept as they came, in arrival order, with an index in their own order.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "blobs/core/block_builder.hh"
#include "blobs/core/predicate.hh"
#include "blobs/core/record.hh"

namespace blobs {

class record_buffer {
public:
    // Needs: a record within its limits, whose order no other has, and the same as record_code.hh has it.
    void add(const record&, std::string_view coded);

    size_t size() const { return _index.size(); }
    bool is_empty() const { return _index.empty(); }
    uint64_t raw_bytes() const { return _raw_bytes; }
    // What it takes, about.
    uint64_t memory_bytes() const { return _memory_bytes; }
    level_set levels() const { return _levels; }

    // Puts what came out of order in its place; cheap when little did. Before any of the following.
    void sort();
    size_t unsorted_count() const { return _index.size() - _sorted; }
    // Record i in the order of records; good until the buffer is gone or `fields` is used again.
    record read(size_t i, std::vector<base::property>& fields) const;
    record_order order(size_t i) const { return _index[i].order; }
    // How many records come before this order.
    size_t lower_bound(const record_order&) const;
    block_facts facts() const; // of all, as of a block

private:
    struct entry {
        record_order order;
        uint32_t chunk = 0;
        uint32_t begin = 0;
    };
    std::deque<std::string> _chunks; // none grows once it is full, so records stay where they are
    std::deque<entry> _index;
    size_t _sorted = 0; // so many of the index are in order
    uint64_t _raw_bytes = 0;
    uint64_t _memory_bytes = 0;
    level_set _levels = 0;
};

} // namespace blobs
