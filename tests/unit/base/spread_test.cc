#include "base/spread.hh"

#include <vector>

#include <gtest/gtest.h>

namespace {

TEST(spread, the_suffix_comes_off_again) {
    for (unsigned bucket = 0; bucket < base::spread_max; ++bucket) {
        std::string key = "host=a";
        base::append_spread_suffix(bucket, key);
        EXPECT_EQ(key.size(), 9u);
        std::string_view rest = key;
        EXPECT_EQ(base::take_spread_suffix(rest), bucket);
        EXPECT_EQ(rest, "host=a");
    }
    for (std::string_view key : {"", "~", "~1", "host=a", "a~1G", "a~1F", "~~1"}) {
        auto rest = key;
        EXPECT_EQ(base::take_spread_suffix(rest), std::nullopt) << key;
        EXPECT_EQ(rest, key);
    }
}

TEST(spread, the_bucket_follows_from_the_time_alone) {
    std::vector<int> hits(7);
    for (int64_t i = 0; i < 7'000; ++i) {
        const auto bucket = base::spread_bucket(1'730'000'000'000'000'000 + i * 10'000'000'000, 7);
        ASSERT_LT(bucket, 7u);
        ++hits[bucket];
    }
    for (int count : hits) {
        EXPECT_NEAR(count, 1'000, 150);
    }
    // On disk: these never change.
    EXPECT_EQ(base::spread_bucket(0, 256), 217u);
    EXPECT_EQ(base::spread_bucket(1'730'000'000'000'000'000, 256), 67u);
    EXPECT_EQ(base::spread_bucket(1'730'000'000'000'000'000, 1), 0u);
}

} // namespace
