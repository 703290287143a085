#include "server/core/resources.hh"

#include <gtest/gtest.h>

namespace {

constexpr uint64_t mib = 1 << 20;

server::machine_facts laptop() {
    return {.cores = 8, .memory_bytes = 16384 * mib, .aio_slots_max = 65536, .aio_slots_used = 0};
}

TEST(resources, a_laptop_gives_all_cores_and_a_quarter_of_its_memory) {
    auto plan = server::plan_resources(laptop(), 0, 0);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->shards, 8u);
    EXPECT_EQ(plan->allocator_bytes, 4096 * mib - server::process_overhead_bytes);
}

TEST(resources, one_core_with_512_mb_works_without_a_flag) {
    auto plan = server::plan_resources({.cores = 1, .memory_bytes = 490 * mib, .aio_slots_max = 65536}, 0, 0);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->shards, 1u);
    EXPECT_GE(plan->allocator_bytes, server::shard_memory_min);
    EXPECT_LE(plan->allocator_bytes + server::process_overhead_bytes, 245 * mib);
}

TEST(resources, there_are_no_more_shards_than_cores) {
    const auto plan = server::plan_resources(laptop(), 9, 0);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().detail, "smp = 9 is more than the 8 core(s) that this process may use");
    EXPECT_TRUE(server::plan_resources(laptop(), 8, 0));
}

TEST(resources, few_slots_left_mean_fewer_shards_not_a_failure) {
    auto machine = laptop();
    machine.aio_slots_used = machine.aio_slots_max - 2 * (server::shard_disk_aio_slots + server::network_aio_slots_min);
    auto plan = server::plan_resources(machine, 0, 0);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->shards, 2u);
    EXPECT_EQ(plan->network_aio_slots, server::network_aio_slots_min);
}

TEST(resources, connections_never_take_all_slots) {
    for (unsigned slots : {server::network_aio_slots_min, 1000u, server::network_aio_slots_max}) {
        const server::resource_plan plan{.network_aio_slots = slots};
        for (unsigned listeners : {1u, 2u, 7u}) {
            EXPECT_GT(plan.connections_max(listeners), 0u);
            EXPECT_LT(2 * listeners * plan.connections_max(listeners), slots);
        }
    }
}

TEST(resources, no_slot_left_is_a_sentence_with_the_remedy) {
    auto machine = laptop();
    machine.aio_slots_used = machine.aio_slots_max + 5;
    auto plan = server::plan_resources(machine, 0, 0);
    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().detail.find("fs.aio-max-nr"), std::string::npos);
}

TEST(resources, asking_for_more_than_there_is_fails) {
    EXPECT_FALSE(server::plan_resources(laptop(), 0, 20000 * mib));
    EXPECT_FALSE(server::plan_resources(laptop(), 0, 10 * mib));
    EXPECT_FALSE(server::plan_resources(laptop(), 8, 128 * mib));
    EXPECT_TRUE(server::plan_resources(laptop(), 1, 128 * mib));
}

TEST(resources, little_memory_means_fewer_shards) {
    auto plan = server::plan_resources(laptop(), 0, 256 * mib);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->shards, 4u);
}

} // namespace
