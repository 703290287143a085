#include "tables/core/etag.hh"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace tables;

const base::tick some_time = base::parse_time("2026-11-16T09:30:00.1234567Z").value();

TEST(etag, is_the_timestamp_with_colons_escaped) {
    EXPECT_EQ(etag_text(some_time), "W/\"datetime'2026-11-16T09%3A30%3A00.1234567Z'\"");
    EXPECT_EQ(etag_text(base::parse_time("2026-11-16T09:31:12.5Z").value()), "W/\"datetime'2026-11-16T09%3A31%3A12.5Z'\"");
    EXPECT_EQ(etag_text(base::parse_time("2026-11-16T09:32:00Z").value()), "W/\"datetime'2026-11-16T09%3A32%3A00Z'\"");
}

TEST(etag, comes_back_as_the_same_timestamp) {
    constexpr uint64_t seed = 9;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 10'000; ++i) {
        const base::tick t{static_cast<int64_t>(random() % static_cast<uint64_t>(base::tick_max.value))};
        ASSERT_TRUE(parse_etag(etag_text(t)).value().matches(t)) << t.value;
        ASSERT_FALSE(parse_etag(etag_text(t)).value().matches(base::tick{t.value + 1}));
    }
}

TEST(etag, colons_may_be_escaped_in_either_case_or_not_at_all) {
    EXPECT_TRUE(parse_etag("W/\"datetime'2026-11-16T09%3a30%3a00.1234567Z'\"")->matches(some_time));
    EXPECT_TRUE(parse_etag("W/\"datetime'2026-11-16T09:30:00.1234567Z'\"")->matches(some_time));
    EXPECT_TRUE(parse_etag("W/\"datetime'2026-11-16T09:30%3A00.1234567Z'\"")->matches(some_time));
}

TEST(etag, any_other_spelling_is_well_formed_and_matches_nothing) {
    const std::string_view others[] = {
        "W/\"\"",
        "W/\"0x8DB\"",
        "W/\"datetime'2026-11-16T09%3A30%3A00.12345670Z'\"",     // a zero too many
        "W/\"datetime'2026-11-16T10%3A30%3A00.1234567+01:00'\"", // the same time, elsewhere
        "W/\"datetime'2026-11-16T09%3A30%3A00.1234567'\"",
        "W/\"datetime'2026-11-16 09%3A30%3A00.1234567Z'\"",
        "W/\"2026-11-16T09%3A30%3A00.1234567Z\"",
        "W/\"datetime'\"",
        "W/\"datetime''\"",
        "W/\"datetime'%3\"",
    };
    for (auto text : others) {
        const auto parsed = parse_etag(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_FALSE(parsed->timestamp) << text;
        EXPECT_FALSE(parsed->matches(some_time)) << text;
    }
}

TEST(etag, what_is_not_one_weak_etag_is_malformed) {
    const std::string_view bad[] = {
        "",
        "*",
        "W/",
        "W/\"",
        "\"datetime'2026-11-16T09%3A30%3A00Z'\"",
        "W/datetime'2026-11-16T09%3A30%3A00Z'",
        "w/\"a\"",
        "W/\"a\",W/\"b\"",
        "W/\"a\" ",
        "datetime",
    };
    for (auto text : bad) {
        const auto parsed = parse_etag(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code, base::errc::invalid_argument);
    }
}

} // namespace
