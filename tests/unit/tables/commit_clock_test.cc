#include "tables/core/commit_clock.hh"

#include <gtest/gtest.h>

namespace {

using base::tick;

constexpr int64_t noon = 639'000'000'000'000'000;

TEST(commit_clock, values_are_whole_milliseconds_while_the_clock_runs) {
    tables::commit_clock clock;
    EXPECT_EQ(clock.next(tick{noon + 12'345}).value, noon + 10'000);
    EXPECT_EQ(clock.next(tick{noon + 29'999}).value, noon + 20'000);
}

TEST(commit_clock, commits_within_one_millisecond_differ) {
    tables::commit_clock clock;
    const auto first = clock.next(tick{noon});
    EXPECT_EQ(clock.next(tick{noon + 1}).value, first.value + 1);
    EXPECT_EQ(clock.next(tick{noon + 2}).value, first.value + 2);
    EXPECT_EQ(clock.next(tick{noon + 10'000}).value, noon + 10'000);
}

TEST(commit_clock, a_clock_that_steps_back_is_waited_for) {
    tables::commit_clock clock;
    const auto before = clock.next(tick{noon});
    EXPECT_EQ(clock.next(tick{noon - base::ticks_per_second * 3600}).value, before.value + 1);
}

TEST(commit_clock, what_was_given_before_a_restart_is_not_given_again) {
    tables::commit_clock clock;
    clock.advance_past(tick{noon + 77});
    EXPECT_EQ(clock.next(tick{noon}).value, noon + 78);
}

TEST(commit_clock, commits_that_nobody_is_told_of_share_a_value_for_some_milliseconds) {
    tables::commit_clock clock;
    const auto first = clock.next_shared(tick{noon});
    EXPECT_EQ(clock.next_shared(tick{noon + 1}), first);
    EXPECT_EQ(clock.next_shared(tick{noon + 99'999}), first);
    EXPECT_EQ(clock.next_shared(tick{noon + 100'000}).value, noon + 100'000);
}

TEST(commit_clock, a_value_that_was_seen_is_not_given_again) {
    tables::commit_clock clock;
    const auto first = clock.next_shared(tick{noon});
    clock.seen();
    EXPECT_GT(clock.next_shared(tick{noon + 1}), first);
}

TEST(commit_clock, a_value_that_is_told_is_shared_with_nobody) {
    tables::commit_clock clock;
    const auto shared = clock.next_shared(tick{noon});
    const auto told = clock.next(tick{noon + 1});
    EXPECT_GT(told, shared);
    EXPECT_GT(clock.next_shared(tick{noon + 2}), told);
}

TEST(commit_clock, a_shared_value_is_not_kept_while_the_clock_is_behind_it) {
    tables::commit_clock clock;
    const auto first = clock.next_shared(tick{noon});
    EXPECT_GT(clock.next_shared(tick{noon - 1}), first);
}

} // namespace
