#include "ingest/core/series_cache.hh"

#include <random>

#include <gtest/gtest.h>

#include "ingest/core/graphite.hh"
#include "ingest/core/line_protocol.hh"
#include "tables/core/family/series.hh"
#include "tests/unit/ingest/random_lines.hh"

namespace {

using ingest::line_fault;

TEST(raw_tags, those_that_came_canonical_are_taken_as_they_came) {
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
        EXPECT_EQ(tables::is_series(parser.point().raw_tags, parser.point().tags), expected) << line;
        if (expected) {
            std::string series;
            EXPECT_TRUE(tables::append_series(parser.point().tags, series));
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
        const bool fits = tables::append_series(parser.point().tags, expected);
        const auto found = cache.series_of(parser.point());
        ASSERT_EQ(found.error_or(line_fault::none), fits ? line_fault::none : line_fault::series_too_long);
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
    const std::vector<ingest::tag> tags{{"b", "1"}, {"a", "2"}};
    ingest::point_view point;
    point.tags = tags;
    EXPECT_EQ(cache.series_of(point).value()->text, "a=2,b=1");
}

} // namespace
