#include "tables/core/write_admission.hh"

#include <vector>

#include <gtest/gtest.h>

namespace tables {
namespace {

using namespace std::chrono_literals;

struct write_admission_test : testing::Test {
    write_admission::time_point now{1h};
};

TEST_F(write_admission_test, a_partition_has_as_many_places_as_it_may_and_others_have_theirs) {
    write_admission admission({.writes_max = 10, .partition_writes_max = 2});
    const auto first = admission.enter({1, 1, 100}, now);
    auto second = admission.enter({1, 1, 100}, now);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(admission.enter({1, 1, 100}, now).error(), refused_write::partition_is_full);
    EXPECT_TRUE(admission.enter({2, 1, 100}, now));
    {
        const auto given_back = std::move(*second);
    }
    EXPECT_TRUE(admission.enter({1, 1, 100}, now));
}

TEST_F(write_admission_test, a_shard_has_as_many_places_as_it_may) {
    write_admission admission({.writes_max = 2, .partition_writes_max = 2});
    const auto first = admission.enter({1, 1, 100}, now), second = admission.enter({2, 1, 100}, now);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(admission.enter({3, 1, 100}, now).error(), refused_write::shard_is_full);
    EXPECT_EQ(admission.count(), 2u);
}

TEST_F(write_admission_test, a_partition_has_so_many_bytes_under_way_but_for_one_that_is_larger) {
    write_admission admission({.partition_bytes_max = 1000});
    {
        const auto large = admission.enter({1, 1, 5000}, now);
        ASSERT_TRUE(large);
        EXPECT_EQ(admission.enter({1, 1, 1}, now).error(), refused_write::partition_is_full);
    }
    const auto first = admission.enter({1, 1, 600}, now);
    ASSERT_TRUE(first);
    EXPECT_FALSE(admission.enter({1, 1, 401}, now));
    EXPECT_TRUE(admission.enter({1, 1, 400}, now));
}

TEST_F(write_admission_test, a_partition_takes_its_rate_whatever_is_offered) {
    write_admission admission({.partition_rate_max = 2'000});
    size_t taken = 0;
    for (int i = 0; i < 200'000; ++i, now += 50us) { // ten seconds of ten times as much
        taken += admission.enter({1, 1, 100}, now).has_value();
    }
    EXPECT_NEAR(static_cast<double>(taken), 20'000, 250) << "with one burst at the beginning";
}

TEST_F(write_admission_test, a_partition_over_its_rate_leaves_the_others_theirs) {
    write_admission admission({.partition_rate_max = 100});
    while (admission.enter({1, 1, 100}, now)) {
    }
    EXPECT_EQ(admission.enter({1, 1, 100}, now).error(), refused_write::partition_is_over_its_rate);
    EXPECT_TRUE(admission.enter({2, 1, 100}, now));
}

TEST_F(write_admission_test, a_transaction_larger_than_the_rate_goes_through_and_is_paid_afterwards) {
    write_admission admission({.partition_rate_max = 10});
    ASSERT_TRUE(admission.enter({1, 100, 100}, now));
    EXPECT_FALSE(admission.enter({1, 1, 100}, now + 9s));
    EXPECT_TRUE(admission.enter({1, 1, 100}, now + 10s));
}

TEST_F(write_admission_test, partitions_that_have_paid_are_forgotten) {
    write_admission admission({.partition_rate_max = 1'000});
    for (uint64_t partition = 0; partition < 100'000; ++partition, now += 1ms) {
        ASSERT_TRUE(admission.enter({partition, 1, 100}, now));
    }
    EXPECT_LT(admission.paced_count(), 3'000u);
}

} // namespace
} // namespace tables
