#include "ingest/core/series_set.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace ingest {

bool series_set::insert(uint64_t hash, size_t count_max) {
    hash = std::max<uint64_t>(hash, 1);
    if (part_of(hash).contains(hash)) {
        return true;
    }
    if (_count >= count_max) {
        return false;
    }
    if (_parts.size() == 1 && _count == split_count) {
        split();
    }
    part_of(hash).add(hash);
    ++_count;
    return true;
}

void series_set::split() {
    auto whole = std::exchange(_parts, std::vector<part>(parts_count));
    for (const auto hash : whole.front().places) {
        if (hash != 0) {
            part_of(hash).add(hash);
        }
    }
}

bool series_set::part::contains(uint64_t hash) const {
    if (places.empty()) {
        return false;
    }
    for (size_t i = hash;; ++i) {
        const auto there = places[i & (places.size() - 1)];
        if (there == hash || there == 0) {
            return there == hash;
        }
    }
}

// Needs: not there.
void series_set::part::add(uint64_t hash) {
    if (2 * (count + 1) > places.size()) {
        grow();
    }
    size_t i = hash;
    while (places[i & (places.size() - 1)] != 0) {
        ++i;
    }
    places[i & (places.size() - 1)] = hash;
    ++count;
}

void series_set::part::grow() {
    constexpr size_t places_min = 8;
    const auto old = std::exchange(places, std::vector<uint64_t>(std::max(places_min, 2 * places.size())));
    assert(std::has_single_bit(places.size()));
    count = 0;
    for (const auto hash : old) {
        if (hash != 0) {
            add(hash);
        }
    }
}

} // namespace ingest
