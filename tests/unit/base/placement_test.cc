#include "base/placement.hh"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/spread.hh"

namespace {

TEST(placement, every_shard_owns_slots_and_every_slot_has_an_owner) {
    for (unsigned shards = 1; shards <= 64; ++shards) {
        std::set<unsigned> owners;
        for (unsigned slot = 0; slot < base::slots_count; ++slot) {
            auto shard = base::shard_of_slot(static_cast<uint8_t>(slot), shards);
            ASSERT_LT(shard, shards);
            owners.insert(shard);
        }
        EXPECT_EQ(owners.size(), shards);
    }
}

// The slot of a key is on disk: these values may never change.
TEST(placement, slots_are_stable) {
    const base::placement by_key(base::placement::rule::by_key), apart;
    EXPECT_EQ(by_key.slot_of(""), 0x2d);
    EXPECT_EQ(apart.slot_of(""), 0x2d);
    EXPECT_EQ(by_key.slot_of("host=host_0~00"), 34);
    EXPECT_EQ(apart.slot_of("host=host_0~00"), apart.slot_of("host=host_0"));
    EXPECT_EQ(apart.slot_of("host=host_0~01"), static_cast<uint8_t>(apart.slot_of("host=host_0") + 128));
    EXPECT_EQ(apart.slot_of("host=host_0~03"), static_cast<uint8_t>(apart.slot_of("host=host_0") + 192));
    EXPECT_EQ(apart.slot_of("~zz"), by_key.slot_of("~zz"));
}

TEST(placement, the_parts_of_a_spread_series_use_all_shards) {
    for (const unsigned shards : {2u, 4u, 8u, 16u}) {
        for (int series = 0; series < 100; ++series) {
            std::set<unsigned> owners;
            for (unsigned bucket = 0; bucket < shards; ++bucket) {
                std::string key = "host=" + std::to_string(series);
                base::append_spread_suffix(bucket, key);
                owners.insert(base::placement().shard_of(key, shards));
            }
            EXPECT_EQ(owners.size(), shards) << series;
        }
    }
}

} // namespace
