#include "base/placement.hh"

#include <gtest/gtest.h>

#include <set>

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
    EXPECT_EQ(base::slot_of(""), 0x2d);
    EXPECT_EQ(base::slot_of("host=a"), base::slot_of("host=a"));
}

} // namespace
