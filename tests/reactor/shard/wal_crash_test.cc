// Power cuts. At every flush, and in between, with every kind of luck: what was acknowledged is found, what is found was
// appended, the order is kept, and nothing that only a power cut did is called damage.

#include <random>

#include <gtest/gtest.h>

#include "shard/wal.hh"
#include "tests/reactor/shard/wal_workload.hh"

namespace {

using namespace testing_lib;
using sim::crash_policy;

struct run {
    explicit run(uint64_t seed, bool can_recycle = true) : disk({.yields_max = 4, .seed = seed}), log(disk, config(can_recycle)) {
        EXPECT_TRUE(log.start().get());
        workload.run(8, 40).get();
        EXPECT_TRUE(workload.refusals().empty());
        log.stop().get();
        EXPECT_EQ(workload.acknowledged_count(), 320u);
    }
    static shard::wal_config config(bool can_recycle) {
        auto config = small_wal();
        config.can_recycle = can_recycle;
        return config;
    }

    sim::sim_disk disk;
    shard::wal log;
    wal_workload workload{disk, log, 1};
};

void check(run& r, uint64_t operations, crash_policy policy) {
    SCOPED_TRACE(testing::Message() << "cut after " << operations << ", policy " << int(policy.kind) << ", seed " << policy.seed);
    r.workload.check(*r.disk.crash_image(operations, policy), operations);
}

TEST(wal_crash, at_every_flush_boundary_what_was_acknowledged_is_found) {
    for (const bool can_recycle : {true, false}) {
        run r(1, can_recycle);
        const auto boundaries = r.disk.flush_boundaries();
        ASSERT_GT(boundaries.size(), 50u);
        for (const auto boundary : boundaries) {
            for (const auto operations : {boundary - 1, boundary}) {
                check(r, operations, crash_policy::drop_all());
                check(r, operations, crash_policy::keep_all());
                check(r, operations, crash_policy::random(boundary));
                if (testing::Test::HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST(wal_crash, at_any_point_with_any_luck_what_was_acknowledged_is_found) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        run r(seed);
        std::mt19937_64 random(seed);
        for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
            check(r, random() % (r.disk.operations_count() + 1), crash_policy::random(random()));
        }
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    }
}

// A crash, a start that replays and goes on in the next epoch, another crash.
TEST(wal_crash, what_was_found_after_one_crash_is_found_after_the_next) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        std::mt19937_64 random(seed);
        run r(seed);
        const auto disk = r.disk.crash_image(random() % (r.disk.operations_count() + 1), crash_policy::random(seed));
        const auto before = read_all_logs(*disk);
        const auto next = before.reports.empty() ? 1 : std::max<uint64_t>(before.reports.back().next.value, 1);
        shard::wal log(*disk, small_wal(2, next));
        ASSERT_TRUE(log.start().get());
        const auto last = append_to(log, "after the crash").get();
        ASSERT_TRUE(last && log.wait_durable(*last).get());
        const auto after = read_all_logs(*disk->crash_image(crash_policy::random(seed)));
        log.stop().get();
        ASSERT_EQ(after.records.size(), before.records.size() + 1) << "seed " << seed;
        EXPECT_TRUE(std::ranges::equal(before.records, after.records | std::views::take(before.records.size())));
        EXPECT_EQ(after.records.back().payload, "after the crash");
        EXPECT_TRUE(after.damages.empty());
    }
}

// One flipped bit in what was durable, after a power cut: at most one record is lost, and if one is, it is reported, unless it
// was in the very last group, for which nothing speaks.
TEST(wal_crash, damage_and_a_torn_tail_are_told_apart) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        static run r(7, false); // one history, many cuts of it
        std::mt19937_64 random(seed);
        const auto operations = r.disk.operations_count() / 2 + random() % (r.disk.operations_count() / 2);
        const auto disk = r.disk.crash_image(operations, crash_policy::random(seed));
        const auto before = read_all_logs(*disk);
        auto infos = *shard::list_logs(*disk, wal_store).get();
        std::erase_if(infos, [](const auto& info) { return info.is != shard::log_file_info::state::used; });
        ASSERT_FALSE(infos.empty());
        const auto& file = infos[random() % infos.size()];
        disk->flip_bit(shard::wal_path(file.name), random() % file.size_bytes, random() % 8);
        const auto after = read_all_logs(*disk);
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", records " << before.records.size() << " and "
                                        << after.records.size());
        if (after.damages.empty()) {
            // A prefix: nothing was hit, or the last group was.
            ASSERT_TRUE(std::ranges::equal(after.records, before.records | std::views::take(after.records.size())));
            EXPECT_GE(after.records.size() + 8, before.records.size()); // as many as there are writers
        } else {
            ASSERT_EQ(after.damages.size(), 1u);
            ASSERT_EQ(after.records.size() + 1, before.records.size());
        }
    }
}

} // namespace
