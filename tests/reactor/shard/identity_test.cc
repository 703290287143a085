// A data directory's identity stays the same whatever happens to it.

#include "shard/identity.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/sim_disk.hh"

namespace {

using base::errc;
using sim::crash_policy;
using sim::op_kind;

constexpr base::tick first_start{638'000'000'000'000'000};
constexpr base::tick later{639'000'000'000'000'000};

class identity : public testing::Test {
protected:
    sim::sim_disk disk;
};

TEST_F(identity, is_made_once_and_kept) {
    const auto made = shard::open_identity(disk, first_start).get();
    ASSERT_TRUE(made);
    EXPECT_EQ(made->created, first_start);
    EXPECT_NE(made->store, 0u);
    EXPECT_EQ(shard::open_identity(disk, later).get(), made);
}

TEST_F(identity, two_stores_differ) {
    sim::sim_disk other;
    EXPECT_NE(shard::open_identity(disk, first_start).get()->store, shard::open_identity(other, first_start).get()->store);
}

TEST_F(identity, survives_a_power_cut_at_any_operation_once_it_was_told) {
    const auto made = shard::open_identity(disk, first_start).get();
    const auto told_at = disk.operations_count();
    for (uint64_t at = 0; at <= told_at; ++at) {
        for (uint64_t seed = 0; seed < 20; ++seed) {
            auto image = disk.crash_image(at, crash_policy::random(seed));
            const auto found = shard::open_identity(*image, later).get();
            ASSERT_TRUE(found) << at << " seed " << seed << ": " << base::to_string(found.error());
            EXPECT_TRUE(found == made || (at < told_at && found->created == later)) << at << " seed " << seed;
        }
    }
}

TEST_F(identity, a_damaged_missing_or_unreadable_copy_is_made_again) {
    const auto made = shard::open_identity(disk, first_start).get();
    for (const auto& path : shard::identity_paths) {
        disk.flip_bit(path, 9, 0);
        EXPECT_EQ(shard::open_identity(disk, later).get(), made);
        disk.remove(path).get();
        EXPECT_EQ(shard::open_identity(disk, later).get(), made);
        disk.fail_at({.at = {.kind = op_kind::read, .path = path}});
        EXPECT_EQ(shard::open_identity(disk, later).get(), made);
    }
    const auto operations = disk.operations_count();
    EXPECT_EQ(shard::open_identity(disk, later).get(), made);
    EXPECT_EQ(disk.operations_count(), operations) << "everything had been whole";
}

TEST_F(identity, one_copy_is_enough_on_a_full_disk) {
    const auto made = shard::open_identity(disk, first_start).get();
    disk.remove("identity").get();
    disk.fill();
    EXPECT_EQ(shard::open_identity(disk, later).get(), made);
}

TEST_F(identity, damage_to_all_copies_is_not_taken_for_a_new_store) {
    ASSERT_TRUE(shard::open_identity(disk, first_start).get());
    for (const auto& path : shard::identity_paths) {
        disk.flip_bit(path, 9, 0);
    }
    EXPECT_EQ(shard::open_identity(disk, later).get().error().code, errc::corrupt);
}

TEST_F(identity, a_full_disk_at_the_first_start_is_told) {
    disk.set_capacity(0);
    EXPECT_EQ(shard::open_identity(disk, first_start).get().error().code, errc::out_of_space);
    disk.set_capacity(1 << 20);
    EXPECT_TRUE(shard::open_identity(disk, first_start).get());
}

} // namespace
