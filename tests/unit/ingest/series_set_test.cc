#include "ingest/core/series_set.hh"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace {

TEST(series_set, counts_each_once) {
    std::mt19937_64 random(3);
    ingest::series_set set;
    std::set<uint64_t> model;
    for (int i = 0; i < 60'000; ++i) {
        const uint64_t hash = random() % 2 == 0 ? random() : (random() % 9'000) * 0x9e3779b97f4a7c15;
        ASSERT_TRUE(set.insert(hash, 1'000'000));
        model.insert(std::max<uint64_t>(hash, 1));
        ASSERT_EQ(set.size(), model.size());
    }
}

TEST(series_set, over_the_bound_only_those_it_has_are_welcome) {
    for (size_t bound : {size_t{1}, size_t{5'000}}) {
        ingest::series_set set;
        for (uint64_t i = 0; i < bound; ++i) {
            ASSERT_TRUE(set.insert(i * 0x9e3779b97f4a7c15, bound));
        }
        EXPECT_FALSE(set.insert(12345, bound));
        for (uint64_t i = 0; i < bound; ++i) {
            ASSERT_TRUE(set.insert(i * 0x9e3779b97f4a7c15, bound));
        }
        EXPECT_EQ(set.size(), bound);
    }
}

} // namespace
