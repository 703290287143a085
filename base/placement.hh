// Where a partition lives: PartitionKey -> slot -> shard. The slot is for ever, the shard follows from the core count.
#pragma once

#include <cstdint>
#include <string_view>

namespace base {

constexpr unsigned slots_count = 256;

// Slots are dealt out in runs, so that a core count that divides another moves as few slots as can be.
constexpr unsigned shard_of_slot(uint8_t slot, unsigned shards_count) {
    return static_cast<unsigned>(slot) * shards_count / slots_count;
}

// How keys fall into slots. Files say which slots they have rows of, so a store keeps the rule that it was made with.
class placement {
public:
    enum class rule : uint8_t {
        by_key,       // by the hash of the whole key
        spread_apart, // parts of a spread series (spread.hh) as far from each other as can be, so that they are on different
                      // shards
    };

    constexpr placement() = default;
    explicit constexpr placement(rule r) : _rule(r) {}

    // `collated` is the key in its stored form (tables/core/key.hh).
    uint8_t slot_of(std::string_view collated) const;
    unsigned shard_of(std::string_view collated, unsigned shards_count) const {
        return shard_of_slot(slot_of(collated), shards_count);
    }

    bool operator==(const placement&) const = default;

private:
    rule _rule = rule::spread_apart;
};

} // namespace base
