// Counts distinct series by their hashes. Two of a million share one with a chance of one in ten millions, and then count as one:
// good enough for a bound. Memory comes in pieces of 128 KiB at the most, and no step takes long: past a few thousand series the
// set is split into parts that grow on their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ingest {

class series_set {
public:
    // False when it is not there and there are `count_max` others.
    bool insert(uint64_t hash, size_t count_max);
    size_t size() const { return _count; }

private:
    // Open addressing; 0 is an empty place.
    struct part {
        std::vector<uint64_t> places;
        size_t count = 0;

        bool contains(uint64_t hash) const;
        void add(uint64_t hash);
        void grow();
    };
    static constexpr size_t parts_count = 256;
    static constexpr size_t split_count = 4096; // series of one part before there are parts_count

    part& part_of(uint64_t hash) { return _parts[_parts.size() == 1 ? 0 : hash >> 56]; }
    void split();

    std::vector<part> _parts{1};
    size_t _count = 0;
};

} // namespace ingest
