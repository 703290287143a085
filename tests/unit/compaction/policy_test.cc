#include "compaction/core/policy.hh"

#include <algorithm>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace compaction;

std::vector<file_fact> files(std::initializer_list<uint64_t> sizes) {
    std::vector<file_fact> all;
    for (const auto bytes : sizes) {
        all.push_back({bytes, true});
    }
    return all;
}

constexpr policy four{.handful = 4, .like_size = 2, .files_max = 10};

TEST(policy, a_handful_of_like_size_becomes_one) {
    EXPECT_EQ(choose(files({10, 10, 10}), four, false), std::nullopt);
    EXPECT_EQ(choose(files({10, 10, 10, 10}), four, false), (merge_choice{0, 4}));
    EXPECT_EQ(choose(files({10, 12, 9, 15, 11, 400}), four, false), (merge_choice{0, 5}));
}

TEST(policy, a_large_file_is_not_rewritten_for_a_few_small_ones) {
    EXPECT_EQ(choose(files({10, 10, 10, 1000}), four, false), std::nullopt);
    EXPECT_EQ(choose(files({10, 10, 10, 1000, 900, 800, 1000}), four, false), (merge_choice{3, 4}));
}

TEST(policy, too_many_files_are_merged_whatever_their_sizes) {
    std::vector<file_fact> growing;
    for (uint64_t bytes = 1, i = 0; i < 11; ++i, bytes *= 5) {
        growing.push_back({bytes, true});
    }
    EXPECT_EQ(choose(growing, four, false), (merge_choice{0, 4})) << "the cheapest neighbours";
}

TEST(policy, a_closed_table_becomes_one_file) {
    EXPECT_EQ(choose(files({}), four, true), std::nullopt);
    EXPECT_EQ(choose(files({10}), four, true), std::nullopt);
    EXPECT_EQ(choose(files({10, 5000}), four, true), (merge_choice{0, 2}));
}

// `late` files over others.
std::vector<file_fact> overlaid(std::initializer_list<uint64_t> late, std::initializer_list<uint64_t> others) {
    auto all = files(late);
    for (auto& f : all) {
        f.is_late = true;
    }
    std::ranges::copy(files(others), std::back_inserter(all));
    return all;
}

TEST(policy, late_rows_lie_over_a_closed_table_until_they_are_a_twentieth_of_it) {
    EXPECT_EQ(choose(overlaid({10}, {1000}), four, true), std::nullopt);
    EXPECT_EQ(choose(overlaid({10, 20, 20}, {1000}), four, true), std::nullopt) << "exactly";
    EXPECT_EQ(choose(overlaid({10, 20, 21}, {1000}), four, true), (merge_choice{0, 4})) << "more";
}

TEST(policy, many_overlays_become_one_before_that) {
    EXPECT_EQ(choose(overlaid({1, 1, 1, 1}, {1000}), four, true), (merge_choice{0, 4}));
    EXPECT_EQ(choose(overlaid({4}, {1000}), four, true), std::nullopt);
}

TEST(policy, the_last_merge_of_what_came_in_time_takes_overlays_along) {
    EXPECT_EQ(choose(overlaid({1}, {10, 1000}), four, true), (merge_choice{0, 3}));
    auto few = four;
    few.inputs_max = 2;
    EXPECT_EQ(choose(overlaid({1}, {10, 1000}), few, true), (merge_choice{1, 2}));
}

TEST(policy, a_table_that_was_written_late_altogether_becomes_one_file_too) {
    EXPECT_EQ(choose(overlaid({10, 10}, {}), four, true), (merge_choice{0, 2}));
    EXPECT_EQ(choose(overlaid({1, 100}, {}), four, true), std::nullopt) << "the oldest is what the others lie over";
}

TEST(policy, no_more_files_are_merged_at_a_time_than_memory_allows) {
    auto few = four;
    few.inputs_max = 3;
    EXPECT_EQ(choose(files({10, 10, 10, 10, 10}), few, false), (merge_choice{0, 3}));
    EXPECT_EQ(choose(files({9, 9, 1, 1, 1}), few, true), (merge_choice{2, 3})) << "the cheapest first";
    size_t left = 100;
    for (auto many = std::vector<file_fact>(left, file_fact{10, true}); const auto c = choose(many, few, true);
         left = many.size()) {
        ASSERT_LE(c->count, few.inputs_max);
        ASSERT_GE(c->count, 2u);
        many[c->first].bytes *= c->count;
        many.erase(many.begin() + static_cast<ptrdiff_t>(c->first) + 1,
                   many.begin() + static_cast<ptrdiff_t>(c->first + c->count));
    }
    EXPECT_EQ(left, 1u) << "and it ends with one";
}

// The merged one would stand where the newest of them was: beside the one before it, which is newer than the older ones.
TEST(policy, no_merge_begins_with_a_file_that_shares_its_place) {
    auto some = files({1, 10, 10, 10, 10, 10});
    EXPECT_EQ(choose(some, four, false), (merge_choice{1, 5}));
    some[1].can_begin = false;
    EXPECT_EQ(choose(some, four, false), (merge_choice{2, 4}));
    some[2].can_begin = false;
    EXPECT_EQ(choose(some, four, false), std::nullopt);
    EXPECT_EQ(choose(some, four, true), (merge_choice{0, 6}));
    auto late = overlaid({1}, {10, 10, 10});
    late[1].can_begin = false;
    EXPECT_EQ(choose(late, four, true), (merge_choice{2, 2}));
    auto few = four;
    few.inputs_max = 3;
    auto many = files({9, 1, 1, 1, 9});
    many[1].can_begin = false;
    EXPECT_EQ(choose(many, few, true), (merge_choice{0, 3}));
}

// A merge that fills several segments leaves them with one place in the order.
std::vector<file_fact> sharing_a_place(size_t count, uint64_t bytes) {
    std::vector<file_fact> all(count, file_fact{bytes, false});
    all.front().can_begin = true;
    return all;
}

TEST(policy, what_a_merge_has_filled_is_not_merged_into_the_same_again) {
    for (const bool is_closed : {false, true}) {
        for (const size_t count : {2, 4, 20, 100}) {
            EXPECT_EQ(choose(sharing_a_place(count, 1000), four, is_closed), std::nullopt) << count << ' ' << is_closed;
        }
    }
    auto overlaid_twice = sharing_a_place(2, 1000);
    overlaid_twice.insert(overlaid_twice.begin(), {10, true, true});
    EXPECT_EQ(choose(overlaid_twice, four, true), std::nullopt);
    overlaid_twice.front().bytes = 200;
    EXPECT_EQ(choose(overlaid_twice, four, true), (merge_choice{0, 3})) << "with what lies over it it is";
    auto few = four;
    few.inputs_max = 2;
    auto wide = sharing_a_place(2, 10);
    wide.push_back({10, true});
    EXPECT_EQ(choose(wide, few, true), std::nullopt) << "two of the three would be the same two";
}

// A flush is one unit; with everything merged at the end each unit was written less than three times.
TEST(policy, little_is_written_twice) {
    const policy usual;
    std::vector<file_fact> all;
    uint64_t written = 0;
    constexpr uint64_t flushes = 200;
    const auto merge = [&](merge_choice c) {
        uint64_t bytes = 0;
        for (size_t i = c.first; i < c.first + c.count; ++i) {
            bytes += all[i].bytes;
        }
        written += bytes;
        all.erase(all.begin() + static_cast<ptrdiff_t>(c.first), all.begin() + static_cast<ptrdiff_t>(c.first + c.count));
        all.insert(all.begin() + static_cast<ptrdiff_t>(c.first), {bytes, true});
    };
    for (uint64_t i = 0; i < flushes; ++i) {
        all.insert(all.begin(), {100, true});
        written += 100;
        while (const auto c = choose(all, usual, false)) {
            merge(*c);
        }
        EXPECT_LE(all.size(), usual.files_max);
    }
    while (const auto c = choose(all, usual, true)) {
        merge(*c);
    }
    EXPECT_EQ(all.size(), 1u);
    EXPECT_LE(written, 3 * flushes * 100) << static_cast<double>(written) / (flushes * 100);
}

} // namespace
