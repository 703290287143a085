#include "tables/core/family/point_key.hh"

#include <random>

#include <gtest/gtest.h>

namespace {

std::string key(int64_t ns) {
    return std::string(tables::view(tables::point_key(ns)));
}

int64_t random_time(std::mt19937_64& random) {
    // All of 64 bits, or close neighbours of a common time.
    return random() % 2 == 0 ? static_cast<int64_t>(random())
                             : 1'730'000'000'000'000'000 + static_cast<int64_t>(random() % 1000) - 500;
}

TEST(point_key, it_is_the_inverted_tick_and_99_less_the_rest) {
    EXPECT_EQ(key(0), base::inverted_text(base::unix_epoch) + "99");
    EXPECT_EQ(key(1), base::inverted_text(base::unix_epoch) + "98");
    EXPECT_EQ(key(99), base::inverted_text(base::unix_epoch) + "00");
    EXPECT_EQ(key(100), base::inverted_text(base::tick{base::unix_epoch.value + 1}) + "99");
    EXPECT_EQ(key(-1), base::inverted_text(base::tick{base::unix_epoch.value - 1}) + "00");
}

TEST(point_key, the_newest_comes_first_and_the_time_comes_back) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 100'000; ++i) {
        const int64_t a = random_time(random);
        const int64_t b = random_time(random);
        ASSERT_EQ(key(a) < key(b), a > b) << a << " " << b;
        ASSERT_EQ(tables::parse_point_key(key(a)), a);
    }
    for (int64_t edge : {INT64_MIN, INT64_MIN + 1, int64_t{-1}, int64_t{0}, INT64_MAX - 1, INT64_MAX}) {
        EXPECT_EQ(tables::parse_point_key(key(edge)), edge);
    }
}

TEST(point_key, what_is_no_point_key_is_refused) {
    const auto good = key(1'730'000'000'000'000'000);
    ASSERT_TRUE(tables::parse_point_key(good));
    EXPECT_FALSE(tables::parse_point_key(good.substr(0, 20)));
    EXPECT_FALSE(tables::parse_point_key(good + "0"));
    for (size_t i = 0; i < good.size(); ++i) {
        auto bad = good;
        bad[i] = 'x';
        EXPECT_FALSE(tables::parse_point_key(bad)) << i;
    }
    EXPECT_FALSE(tables::parse_point_key("315537897599999999999")) << "the year 1 is outside 64 bits of nanoseconds";
    EXPECT_FALSE(tables::parse_point_key("000000000000000000000")) << "so is 9999";
}

TEST(point_key, bounds_hold_exactly_the_keys_of_their_range) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    constexpr int64_t about = base::unix_epoch.value + 17'300'000'000'000'000;
    for (int i = 0; i < 50'000; ++i) {
        const base::tick start{about + static_cast<int64_t>(random() % 20)};
        const base::tick end{about + static_cast<int64_t>(random() % 20)};
        const int64_t ns = base::unix_ns(base::tick{about}) + static_cast<int64_t>(random() % 2'000);
        const auto t = base::tick_from_unix_ns(ns);
        const auto bounds = tables::row_keys_between(start, end);
        ASSERT_EQ(bounds.first <= key(ns) && key(ns) < bounds.last, start <= t && t < end)
            << start.value << " " << end.value << " " << ns;
    }
    const auto everything = tables::row_keys_between(base::tick{0}, base::tick{base::tick_max.value + 1});
    EXPECT_EQ(everything.first, "0000000000000000000");
    EXPECT_EQ(everything.last, "3155378976000000000");
}

} // namespace
