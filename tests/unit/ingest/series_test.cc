#include "ingest/core/series.hh"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "ingest/core/graphite.hh"
#include "ingest/core/limits.hh"
#include "ingest/core/line_protocol.hh"
#include "ingest/core/series_cache.hh"
#include "ingest/core/spread.hh"
#include "tests/unit/ingest/random_lines.hh"

namespace {

using namespace std::literals;
using ingest::line_fault;
using ingest::tag;

std::string series_of(const std::vector<tag>& tags) {
    std::string series;
    EXPECT_EQ(ingest::append_series(tags, series), line_fault::none);
    return series;
}

std::vector<tag> parse(std::string_view series, ingest::text_arena& texts) {
    std::vector<tag> tags;
    EXPECT_TRUE(ingest::parse_series(series, tags, texts)) << series;
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
    ingest::text_arena texts;
    std::vector<tag> tags;
    for (std::string_view text : {"a", "a=", "=b", "a=b,", ",a=b", "a=b,,c=d", "a=b=c", "a=%", "a=%4", "a=%4g", "a=%4a"}) {
        EXPECT_FALSE(ingest::parse_series(text, tags, texts)) << text;
    }
    EXPECT_TRUE(ingest::parse_series("", tags, texts));
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
        ingest::text_arena texts;
        std::ranges::sort(tags, {}, &tag::name);
        ASSERT_EQ(parse(series, texts), tags) << series;
    }
}

TEST(series, it_must_leave_room_in_the_key) {
    auto of_length = [](size_t length) { return std::string(length - 2, 'x'); };
    std::string out = "before";
    const auto fits = of_length(ingest::series_units_max);
    EXPECT_EQ(ingest::append_series(std::vector<tag>{{"a", fits}}, out), line_fault::none);
    EXPECT_EQ(out.size(), 6 + ingest::series_units_max);
    out = "before";
    const auto too_long = of_length(ingest::series_units_max + 1);
    EXPECT_EQ(ingest::append_series(std::vector<tag>{{"a", too_long}}, out), line_fault::series_too_long);
    EXPECT_EQ(out, "before");
    // Units, not bytes.
    std::string accents;
    for (size_t i = 0; i < ingest::series_units_max - 2; ++i) {
        accents += "é";
    }
    EXPECT_EQ(ingest::append_series(std::vector<tag>{{"a", accents}}, out), line_fault::none);
}

TEST(series, tags_that_came_canonical_are_taken_as_they_came) {
    const std::pair<std::string_view, bool> cases[] = {
        {"m,a=1,b=2 f=1", true},         {"m,b=1,a=2 f=1", false}, {"m,a=x\\ y f=1", false}, {"m,a=/x f=1", false},
        {"m,a=x%y f=1", false},          {"m,a=x~y f=1", false},   {"m,a=é f=1", false},     {"m,a=x\\,y f=1", false},
        {"m,a=x-y.z_1:2@(3) f=1", true}, {"m,a=\x01 f=1", false},
    };
    for (const auto& [line, expected] : cases) {
        ingest::point_builder point;
        ingest::line_protocol_parser parser(point);
        auto rest = line;
        ASSERT_EQ(parser.next(rest, ingest::input_end::yes), ingest::line_step::point) << line;
        EXPECT_EQ(ingest::is_series(parser.point().raw_tags, parser.point().tags), expected) << line;
        if (expected) {
            std::string series;
            EXPECT_EQ(ingest::append_series(parser.point().tags, series), line_fault::none);
            EXPECT_EQ(series, parser.point().raw_tags);
        }
    }
}

TEST(series_cache, it_says_what_append_series_says) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    std::vector<std::string> lines;
    for (int i = 0; i < 200; ++i) {
        lines.push_back("m," + ingest_test::random_name(random) + "=" + ingest_test::random_name(random) +
                        ",zz=" + std::to_string(i % 50) + " f=1");
    }
    lines.push_back("m f=1");
    lines.push_back("m,a=" + std::string(600, 'x') + " f=1");
    ingest::series_cache cache(64); // fewer than there are
    for (int i = 0; i < 20'000; ++i) {
        std::string_view line = lines[random() % lines.size()];
        ingest::point_builder point;
        ingest::line_protocol_parser parser(point);
        if (parser.next(line, ingest::input_end::yes) != ingest::line_step::point) {
            continue;
        }
        std::string expected;
        const auto fault = ingest::append_series(parser.point().tags, expected);
        const auto found = cache.series_of(parser.point());
        ASSERT_EQ(found.error_or(line_fault::none), fault);
        ASSERT_EQ(found ? tables::uncollate((*found)->text) : "", expected);
    }
}

TEST(series_cache, other_forms_of_tags_are_not_taken_for_series) {
    ingest::point_builder point;
    ingest::graphite_parser parser(point);
    ingest::series_cache cache(64);
    std::string_view input = "k=v 1\nname;k=v 1\nname;a=b;c=d 1\npath=x 1\n";
    for (std::string_view series : {"path=k%3Dv", "k=v", "a=b,c=d", "path=path%3Dx"}) {
        ASSERT_EQ(parser.next(input), ingest::line_step::point);
        EXPECT_EQ(cache.series_of(parser.point()).value()->text, series);
    }
}

TEST(series_cache, a_point_without_raw_tags_is_no_less_right) {
    ingest::series_cache cache(2);
    const std::vector<tag> tags{{"b", "1"}, {"a", "2"}};
    ingest::point_view point;
    point.tags = tags;
    EXPECT_EQ(cache.series_of(point).value()->text, "a=2,b=1");
}

TEST(spread, the_suffix_comes_off_again) {
    for (unsigned bucket = 0; bucket < ingest::spread_max; ++bucket) {
        std::string key = "host=a";
        ingest::append_spread_suffix(bucket, key);
        EXPECT_EQ(key.size(), 9u);
        std::string_view rest = key;
        EXPECT_EQ(ingest::take_spread_suffix(rest), bucket);
        EXPECT_EQ(rest, "host=a");
    }
    for (std::string_view key : {"", "~", "~1", "host=a", "a~1G", "a~1F", "~~1"}) {
        auto rest = key;
        EXPECT_EQ(ingest::take_spread_suffix(rest), std::nullopt) << key;
        EXPECT_EQ(rest, key);
    }
}

TEST(spread, the_bucket_follows_from_the_time_alone) {
    std::vector<int> hits(7);
    for (int64_t i = 0; i < 7'000; ++i) {
        const auto bucket = ingest::spread_bucket(1'730'000'000'000'000'000 + i * 10'000'000'000, 7);
        ASSERT_LT(bucket, 7u);
        ++hits[bucket];
    }
    for (int count : hits) {
        EXPECT_NEAR(count, 1'000, 150);
    }
    // On disk: these never change.
    EXPECT_EQ(ingest::spread_bucket(0, 256), 217u);
    EXPECT_EQ(ingest::spread_bucket(1'730'000'000'000'000'000, 256), 67u);
    EXPECT_EQ(ingest::spread_bucket(1'730'000'000'000'000'000, 1), 0u);
}

} // namespace
