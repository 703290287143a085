#include "ingest/core/graphite.hh"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ingest/line_trace.hh"

namespace {

using ingest::graphite_parser;
using ingest::line_fault;
using ::testing::ElementsAre;

constexpr auto describe = [](graphite_parser& parser, ingest::line_step) { return ingest_test::point_text(parser.point()); };

std::vector<std::string> read(std::string_view input) {
    ingest::point_builder point;
    graphite_parser parser(point);
    ingest_test::line_trace trace(parser, describe);
    trace.feed(input, ingest::input_end::yes);
    return trace.said;
}

std::string bad(line_fault fault, uint64_t line = 1) {
    return ingest_test::fault_text({line, fault});
}

TEST(graphite, a_plain_path_is_a_tag_of_one_family) {
    EXPECT_THAT(read("servers.a.cpu 12.5 1730000000\n"),
                ElementsAre(R"("graphite" ["path"="servers.a.cpu" ] {"value":12.5(4029000000000000) } @1730000000000000000)"));
}

TEST(graphite, a_tagged_name_is_a_family_of_its_own) {
    EXPECT_THAT(read("disk.used;host=a;mount=/var=x 3 1730000000"),
                ElementsAre(R"("disk.used" ["host"="a" "mount"="/var=x" ] {"value":3(4008000000000000) } @1730000000000000000)"));
}

TEST(graphite, without_a_time_it_is_that_of_receipt) {
    const auto now = R"("graphite" ["path"="a" ] {"value":1(3ff0000000000000) })";
    EXPECT_THAT(read("a 1\na 1 -1\na\t1\t\r\n  a  1  \n"), ElementsAre(now, now, now, now));
}

TEST(graphite, bad_lines_are_named_and_good_neighbours_kept) {
    EXPECT_THAT(
        read("a 1 1\n\na\na x 1\na nan 1\na 1 x\na 1 1 1\n;t=x 1 1\nn; 1 1\nn;t 1 1\nn;t= 1 1\nn;t=x;t=y 1 1\na\xff 1 1\na 2 2"),
        ElementsAre(R"("graphite" ["path"="a" ] {"value":1(3ff0000000000000) } @1000000000)",
                    bad(line_fault::missing_field_value, 3), bad(line_fault::invalid_value, 4), bad(line_fault::invalid_value, 5),
                    bad(line_fault::invalid_time, 6), bad(line_fault::text_after_time, 7), bad(line_fault::missing_family, 8),
                    bad(line_fault::missing_tag_name, 9), bad(line_fault::missing_tag_value, 10),
                    bad(line_fault::missing_tag_value, 11), bad(line_fault::duplicate_tag, 12), bad(line_fault::not_utf8, 13),
                    R"("graphite" ["path"="a" ] {"value":2(4000000000000000) } @2000000000)"));
}

TEST(graphite, a_path_and_a_tag_set_never_look_the_same) {
    ingest::point_builder point;
    graphite_parser parser(point);
    std::string_view input = "k=v 1 1\nname;k=v 1 1\n";
    ASSERT_EQ(parser.next(input), ingest::line_step::point);
    EXPECT_EQ(parser.point().raw_tags, "k=v");
    ASSERT_EQ(parser.next(input), ingest::line_step::point);
    EXPECT_EQ(parser.point().raw_tags, ";k=v");
}

TEST(graphite, it_says_the_same_however_the_input_is_cut) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    const std::string_view pieces[] = {"a.b.c", " ", "12.5", "\n", ";t=x", "1730000000", "-1", "\r\n", "\t", "x", "\xff", " 5\n"};
    for (int i = 0; i < 3'000; ++i) {
        std::string input;
        for (size_t n = random() % 30; n > 0; --n) {
            input += pieces[random() % std::size(pieces)];
        }
        ingest::point_builder point;
        graphite_parser parser(point);
        ingest_test::line_trace trace(parser, describe);
        feed_in_pieces(trace, input, random);
        ASSERT_EQ(trace.said, read(input)) << "seed " << seed << "\n" << input;
    }
}

} // namespace
