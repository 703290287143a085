#include "service/core/partition_heat.hh"

#include <gtest/gtest.h>

namespace service {
namespace {

using namespace std::chrono_literals;

struct partition_heat_test : testing::Test {
    partition_heat heat;
    partition_heat::time_point now{1h};

    static uint64_t hash(uint64_t number) { return (number + 1) * 0x9e3779b97f4a7c15; }
};

TEST_F(partition_heat_test, one_that_gets_most_requests_is_hot_and_the_others_are_not) {
    int hot = 0, others = 0;
    for (uint64_t i = 0; i < 10'000; ++i, now += 100us) {
        hot += heat.note(hash(0), 1024, now);
        others += i % 10 == 0 && heat.note(hash(1 + i % 100), 1024, now);
    }
    EXPECT_GT(hot, 9'800);
    EXPECT_EQ(others, 0);
}

TEST_F(partition_heat_test, none_is_hot_when_all_get_the_same) {
    int hot = 0;
    for (uint64_t i = 0; i < 10'000; ++i, now += 10us) {
        hot += heat.note(hash(i % 100), 1024, now);
    }
    EXPECT_EQ(hot, 0);
}

TEST_F(partition_heat_test, none_is_hot_when_there_is_little_to_do) {
    int hot = 0;
    for (int i = 0; i < 1'000; ++i, now += 10ms) {
        hot += heat.note(hash(0), 1024, now);
    }
    EXPECT_EQ(hot, 0);
}

TEST_F(partition_heat_test, few_large_requests_make_it_hot_too) {
    bool is_hot = false;
    for (int i = 0; i < 10; ++i, now += 10ms) {
        is_hot = heat.note(hash(0), 1 << 20, now);
    }
    EXPECT_TRUE(is_hot);
}

TEST_F(partition_heat_test, it_cools_down_in_a_moment) {
    for (int i = 0; i < 10'000; ++i, now += 10us) {
        heat.note(hash(0), 1024, now);
    }
    ASSERT_TRUE(heat.note(hash(0), 1024, now));
    EXPECT_FALSE(heat.note(hash(0), 1024, now + 250ms));
}

} // namespace
} // namespace service
