#include "tables/core/family/series.hh"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/ingest/random_lines.hh"

namespace {

using namespace std::literals;
using tables::tag;

std::string series_of(const std::vector<tag>& tags) {
    std::string series;
    EXPECT_TRUE(tables::append_series(tags, series));
    return series;
}

std::vector<tag> parse(std::string_view series, base::text_arena& texts) {
    std::vector<tag> tags;
    EXPECT_TRUE(tables::parse_series(series, tags, texts)) << series;
    return tags;
}

TEST(series, tags_are_sorted_by_name) {
    EXPECT_EQ(series_of({{"region", "eu"}, {"host", "a"}, {"Zone", "1"}}), "Zone=1,host=a,region=eu");
    EXPECT_EQ(series_of({{"ab", "1"}, {"a", "2"}}), "a=2,ab=1");
    EXPECT_EQ(series_of({}), "");
}

TEST(series, what_a_key_cannot_hold_is_escaped) {
    EXPECT_EQ(series_of({{"p", "/var\\log#1?"}}), "p=%2Fvar%5Clog%231%3F");
    EXPECT_EQ(series_of({{"a,b", "c=d~%"}}), "a%2Cb=c%3Dd%7E%25");
    EXPECT_EQ(series_of({{"c", "\0\x1f\x7f \xc2\x80\xc2\x9f\xc2\xa0é"sv}}), "c=%00%1F%7F %C2%80%C2%9F\xc2\xa0é");
}

TEST(series, what_is_no_series_is_refused) {
    base::text_arena texts;
    std::vector<tag> tags;
    for (std::string_view text : {"a", "a=", "=b", "a=b,", ",a=b", "a=b,,c=d", "a=b=c", "a=%", "a=%4", "a=%4g", "a=%4a"}) {
        EXPECT_FALSE(tables::parse_series(text, tags, texts)) << text;
    }
    EXPECT_TRUE(tables::parse_series("", tags, texts));
    EXPECT_TRUE(tags.empty());
}

TEST(series, every_tag_set_has_one_text_that_leads_back_to_it) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::string> names;
        std::vector<std::string> values;
        for (size_t n = random() % 6; n > 0; --n) {
            auto name = ingest_test::random_name(random);
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(std::move(name));
                values.push_back(ingest_test::random_name(random) + (random() % 4 == 0 ? "\xc2\x85,=~%/?#" : ""));
            }
        }
        std::vector<tag> tags;
        for (size_t t = 0; t < names.size(); ++t) {
            tags.push_back({names[t], values[t]});
        }
        const auto series = series_of(tags);
        ASSERT_TRUE(tables::check_key(series)) << series;
        std::ranges::shuffle(tags, random);
        ASSERT_EQ(series_of(tags), series) << "the order sent has no influence";
        base::text_arena texts;
        std::ranges::sort(tags, {}, &tag::name);
        ASSERT_EQ(parse(series, texts), tags) << series;
    }
}

TEST(series, it_must_leave_room_in_the_key) {
    auto of_length = [](size_t length) { return std::string(length - 2, 'x'); };
    std::string out = "before";
    const auto fits = of_length(tables::series_units_max);
    EXPECT_TRUE(tables::append_series(std::vector<tag>{{"a", fits}}, out));
    EXPECT_EQ(out.size(), 6 + tables::series_units_max);
    out = "before";
    const auto too_long = of_length(tables::series_units_max + 1);
    EXPECT_FALSE(tables::append_series(std::vector<tag>{{"a", too_long}}, out));
    EXPECT_EQ(out, "before");
    // Units, not bytes.
    std::string accents;
    for (size_t i = 0; i < tables::series_units_max - 2; ++i) {
        accents += "é";
    }
    EXPECT_TRUE(tables::append_series(std::vector<tag>{{"a", accents}}, out));
}

} // namespace
