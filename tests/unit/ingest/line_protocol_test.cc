#include "ingest/core/line_protocol.hh"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/core/limits.hh"
#include "tests/unit/ingest/line_trace.hh"

namespace {

using ingest::line_fault;
using ingest::line_protocol_parser;
using ingest::time_precision;
using ::testing::ElementsAre;

constexpr auto describe = [](line_protocol_parser& parser, ingest::line_step) { return ingest_test::point_text(parser.point()); };

std::vector<std::string> read(std::string_view input, time_precision precision = time_precision::ns) {
    ingest::point_builder point;
    line_protocol_parser parser(point, precision);
    ingest_test::line_trace trace(parser, describe);
    trace.feed(input, ingest::input_end::yes);
    return trace.said;
}

std::string read_one(std::string_view line) {
    const auto said = read(line);
    EXPECT_EQ(said.size(), 1u) << line;
    return said.empty() ? "" : said.front();
}

std::string bad(line_fault fault, uint64_t line = 1) {
    return ingest_test::fault_text({line, fault});
}

std::string repeated(std::string_view text, size_t count) {
    std::string out;
    while (count-- > 0) {
        out += text;
    }
    return out;
}

TEST(line_protocol, a_line_has_a_family_tags_fields_and_a_time) {
    EXPECT_EQ(
        read_one("cpu,host=a,region=eu user=12.5,n=3i,up=t,note=\"hi\" 1730000000000000001\n"),
        R"("cpu" ["host"="a" "region"="eu" ] {"user":12.5(4029000000000000) "n":3i "up":true "note":"hi" } @1730000000000000001)");
    EXPECT_EQ(read_one("cpu n=1i"), R"("cpu" [] {"n":1i })");
}

TEST(line_protocol, the_tag_set_comes_as_it_was_sent) {
    ingest::point_builder point;
    line_protocol_parser parser(point);
    std::string_view input = "cpu,b=1\\ 2,a=x n=1i\ncpu n=1i\n";
    ASSERT_EQ(parser.next(input), ingest::line_step::point);
    EXPECT_EQ(parser.point().raw_tags, "b=1\\ 2,a=x");
    ASSERT_EQ(parser.next(input), ingest::line_step::point);
    EXPECT_EQ(parser.point().raw_tags, "");
}

TEST(line_protocol, nothing_is_copied_where_nothing_is_escaped) {
    ingest::point_builder point;
    line_protocol_parser parser(point);
    const std::string input = "cpu,host=a note=\"hi\"\n";
    std::string_view rest = input;
    ASSERT_EQ(parser.next(rest), ingest::line_step::point);
    EXPECT_EQ(parser.point().family.data(), input.data());
    EXPECT_EQ(parser.point().tags[0].value.data(), input.data() + input.find("a note"));
    EXPECT_EQ(parser.point().fields[0].value.as_string().data(), input.data() + input.find("hi"));
}

TEST(line_protocol, a_backslash_takes_the_meaning_of_a_delimiter_away) {
    EXPECT_EQ(read_one(R"(c\,p\ u,h\=o\,s\ t=a\ b\,c\=d f\=i\,e\ l\"d=1i)"),
              R"("c,p u" ["h=o,s t"="a b,c=d" ] {"f=i,e l\"d":1i })");
    EXPECT_EQ(read_one(R"(cpu s="say \"hi\" \\ \n")"), R"("cpu" [] {"s":"say \"hi\" \\ \\n" })");
}

TEST(line_protocol, a_backslash_before_anything_else_is_itself) {
    EXPECT_EQ(read_one(R"(c\pu\=,h\"=C:\dir f\x=1i)"), R"("c\\pu\\=" ["h\\\""="C:\\dir" ] {"f\\x":1i })");
    // Only the byte right before the delimiter counts: two backslashes do not cancel each other outside strings.
    EXPECT_EQ(read_one(R"(cpu,h=a\\ b f=1i)"), R"("cpu" ["h"="a\\ b" ] {"f":1i })");
}

TEST(line_protocol, numbers_are_reals_unless_marked) {
    EXPECT_EQ(read_one("m a=1,b=-0,c=.5,d=5.,e=1e3,f=-1.5E-2"),
              R"("m" [] {"a":1(3ff0000000000000) "b":-0(8000000000000000) "c":0.5(3fe0000000000000) "d":5(4014000000000000) )"
              R"("e":1000(408f400000000000) "f":-0.015(bf8eb851eb851eb8) })");
    EXPECT_EQ(read_one("m a=-9223372036854775808i,b=9223372036854775807i,c=9223372036854775807u,d=007i"),
              R"("m" [] {"a":-9223372036854775808i "b":9223372036854775807i "c":9223372036854775807i "d":7i })");
}

TEST(line_protocol, booleans_are_written_in_ten_ways) {
    for (std::string word : {"t", "T", "true", "True", "TRUE"}) {
        EXPECT_EQ(read_one("m a=" + word), R"("m" [] {"a":true })");
    }
    for (std::string word : {"f", "F", "false", "False", "FALSE"}) {
        EXPECT_EQ(read_one("m a=" + word), R"("m" [] {"a":false })");
    }
    for (std::string word : {"tr", "tRUE", "yes", "truee", "fa"}) {
        EXPECT_EQ(read_one("m a=" + word), bad(line_fault::invalid_value)) << word;
    }
}

TEST(line_protocol, what_is_no_value_is_refused) {
    for (std::string text : {"+1", "-", ".", "1.2.3", "1e", "e5", "0x10", "nan", "NaN", "inf", "-inf", "1i2", "1.5i", "-1u", "i",
                             "1 i", "--1", "1_000", "\\\"a\\\""}) {
        const auto said = read_one("m a=" + text + ",b=1");
        EXPECT_TRUE(said.starts_with("line 1: ")) << text << " -> " << said;
    }
    EXPECT_EQ(read_one("m a=9223372036854775808i"), bad(line_fault::value_out_of_range));
    EXPECT_EQ(read_one("m a=9223372036854775808u"), bad(line_fault::unsigned_out_of_range));
    EXPECT_EQ(read_one("m a=18446744073709551616u"), bad(line_fault::value_out_of_range));
    EXPECT_EQ(read_one("m a=1e400"), bad(line_fault::value_out_of_range));
    EXPECT_EQ(read_one("m a=1e-400"), R"("m" [] {"a":0(0) })");
}

TEST(line_protocol, a_string_may_hold_delimiters_and_line_breaks) {
    EXPECT_THAT(read("m a=\"x, y=z\nsecond # line\",b=1i\nm c=1i x\n"),
                ElementsAre(R"("m" [] {"a":"x, y=z\nsecond # line" "b":1i })", bad(line_fault::invalid_time, 3)));
}

TEST(line_protocol, an_unfinished_string_spoils_only_its_own_line) {
    EXPECT_THAT(read("m a=\"open\nm b=1i\nm c=\"fine\" 7\n"),
                ElementsAre(bad(line_fault::text_after_string), R"("m" [] {"b":1i })", R"("m" [] {"c":"fine" } @7)"));
    EXPECT_THAT(read("m a=\"open\nm b=1i\n"), ElementsAre(bad(line_fault::unterminated_string), R"("m" [] {"b":1i })"));
}

TEST(line_protocol, blank_lines_comments_and_carriage_returns_are_no_points) {
    EXPECT_THAT(read("\n  \r\n# a \"comment\n  # another\nm a=1i 5\r\n\tm,t=x b=\"s\"\r\nm c=t\r\nm d=1i \r\nm e=1i x\n#"),
                ElementsAre(R"("m" [] {"a":1i } @5)", R"("m" ["t"="x" ] {"b":"s" })", R"("m" [] {"c":true })",
                            R"("m" [] {"d":1i })", bad(line_fault::invalid_time, 9)));
}

TEST(line_protocol, more_blanks_than_needed_are_skipped) {
    EXPECT_EQ(read_one("  m,t=x   a=1i   5  \n"), R"("m" ["t"="x" ] {"a":1i } @5)");
}

TEST(line_protocol, bad_lines_are_named_and_good_neighbours_kept) {
    EXPECT_THAT(read("m a=1i\nm\nm a=2i\n,x=y a=1\nm a=3i\n"),
                ElementsAre(R"("m" [] {"a":1i })", bad(line_fault::missing_fields, 2), R"("m" [] {"a":2i })",
                            bad(line_fault::missing_family, 4), R"("m" [] {"a":3i })"));
}

TEST(line_protocol, every_part_that_is_missing_has_its_reason) {
    const std::pair<std::string_view, line_fault> cases[] = {
        {",t=x a=1", line_fault::missing_family},
        {"m", line_fault::missing_fields},
        {"m ", line_fault::missing_fields},
        {"m,t=x", line_fault::missing_fields},
        {"m,t=x ", line_fault::missing_fields},
        {"m, a=1", line_fault::missing_tag_name},
        {"m,=x a=1", line_fault::missing_tag_name},
        {"m,t a=1", line_fault::missing_tag_value},
        {"m,t= a=1", line_fault::missing_tag_value},
        {"m,t=,u=x a=1", line_fault::missing_tag_value},
        {"m,t=x=y a=1", line_fault::invalid_tag},
        {"m,t=x,t=y a=1", line_fault::duplicate_tag},
        {"m =1", line_fault::missing_field_name},
        {"m a=1,", line_fault::missing_field_name},
        {"m a", line_fault::missing_field_value},
        {"m a=", line_fault::missing_field_value},
        {"m a=,b=1", line_fault::missing_field_value},
        {"m a=1=2", line_fault::invalid_value},
        {"m a=\"x", line_fault::unterminated_string},
        {"m a=\"x\"y", line_fault::text_after_string},
        {"m a=1 x", line_fault::invalid_time},
        {"m a=1 1.5", line_fault::invalid_time},
        {"m a=1 5,b=2", line_fault::invalid_time},
        {"m a=1 5 6", line_fault::text_after_time},
        {"m a=1 9223372036854775808", line_fault::time_out_of_range},
        {"m a=\"\xff\"", line_fault::not_utf8},
        {"m\xc0\x80 a=1", line_fault::not_utf8},
    };
    for (const auto& [line, fault] : cases) {
        EXPECT_EQ(read_one(line), bad(fault)) << line;
    }
}

TEST(line_protocol, of_two_fields_of_one_name_the_last_counts) {
    EXPECT_EQ(read_one("m a=1i,b=2i,a=\"x\""), R"("m" [] {"a":"x" "b":2i })");
    EXPECT_EQ(read_one(R"(m a\,b=1i,a\,b=2i)"), R"("m" [] {"a,b":2i })");
}

TEST(line_protocol, precision_is_the_unit_of_the_time) {
    EXPECT_THAT(read("m a=1i 5", time_precision::us), ElementsAre(R"("m" [] {"a":1i } @5000)"));
    EXPECT_THAT(read("m a=1i 5", time_precision::ms), ElementsAre(R"("m" [] {"a":1i } @5000000)"));
    EXPECT_THAT(read("m a=1i -5", time_precision::s), ElementsAre(R"("m" [] {"a":1i } @-5000000000)"));
    EXPECT_THAT(read("m a=1i 9223372037", time_precision::s), ElementsAre(bad(line_fault::time_out_of_range)));
    EXPECT_EQ(ingest::parse_precision("n"), time_precision::ns);
    EXPECT_EQ(ingest::parse_precision("u"), time_precision::us);
    EXPECT_EQ(ingest::parse_precision("us"), time_precision::us);
    EXPECT_THAT(read("m a=1i 2", time_precision::m), ElementsAre(R"("m" [] {"a":1i } @120000000000)"));
    EXPECT_THAT(read("m a=1i 2", time_precision::h), ElementsAre(R"("m" [] {"a":1i } @7200000000000)"));
    EXPECT_EQ(ingest::parse_precision("h"), time_precision::h);
    EXPECT_EQ(ingest::parse_precision("d"), std::nullopt);
}

TEST(line_protocol, limits_are_inclusive) {
    const std::string name(255, 'n');
    EXPECT_EQ(read_one(name + "," + name + "=x " + name + "=1i").front(), '"');
    EXPECT_EQ(read_one(name + "n a=1"), bad(line_fault::family_name_too_long));
    EXPECT_EQ(read_one("m,n" + name + "=x a=1"), bad(line_fault::tag_name_too_long));
    EXPECT_EQ(read_one("m n" + name + "=1"), bad(line_fault::field_name_too_long));
    auto with = [](size_t tags, size_t fields) {
        std::string line = "m";
        for (size_t i = 0; i < tags; ++i) {
            line += ",t" + std::to_string(i) + "=x";
        }
        for (size_t i = 0; i < fields; ++i) {
            line += (i == 0 ? " f" : ",f") + std::to_string(i) + "=1";
        }
        return line;
    };
    EXPECT_EQ(read_one(with(64, 252)).front(), '"');
    EXPECT_EQ(read_one(with(65, 1)), bad(line_fault::too_many_tags));
    EXPECT_EQ(read_one(with(0, 253)), bad(line_fault::too_many_fields));
    EXPECT_EQ(read_one(with(0, 252) + ",f7=2").front(), '"') << "a name that comes again is no further field";
}

TEST(line_protocol, a_line_longer_than_the_limit_is_skipped) {
    const std::string head = "m a=\"";
    const auto longest = head + std::string(ingest::line_bytes_max - head.size() - 1, 'x') + "\"";
    EXPECT_EQ(read_one(longest).front(), '"');
    EXPECT_EQ(read(longest + "\nm b=1i\n").size(), 2u);
    const auto longer = head + std::string(ingest::line_bytes_max - head.size(), 'x') + "\"";
    EXPECT_THAT(read(longer), ElementsAre(bad(line_fault::line_too_long)));
    EXPECT_THAT(read(longer + "\nm b=1i\n"), ElementsAre(bad(line_fault::line_too_long), R"("m" [] {"b":1i })"));
}

TEST(line_protocol, an_endless_line_is_never_kept_beyond_the_limit) {
    ingest::point_builder point;
    line_protocol_parser parser(point);
    ingest_test::line_trace trace(parser, describe);
    const auto piece = repeated("x", 64 << 10);
    for (int i = 0; i < 40; ++i) {
        trace.feed(piece, ingest::input_end::no);
        EXPECT_LE(trace.kept().size(), ingest::line_bytes_max);
    }
    trace.feed("\nm a=1i\n", ingest::input_end::no);
    EXPECT_THAT(trace.said, ElementsAre(bad(line_fault::line_too_long), R"("m" [] {"a":1i })"));
}

// How long a text takes to read with known tags being looked for.
std::chrono::nanoseconds time_to_read(const std::string& text) {
    ingest::point_builder point;
    ingest::series_cache known(16);
    line_protocol_parser parser(point, ingest::time_precision::ns, &known);
    std::string_view rest = text;
    const auto begin = std::chrono::steady_clock::now();
    while (parser.next(rest, ingest::input_end::yes) != ingest::line_step::need_more) {
    }
    return std::chrono::steady_clock::now() - begin;
}

TEST(line_protocol, where_the_next_space_is_makes_no_difference) {
    constexpr size_t lines_count = 100'000;
    const auto near = time_to_read(repeated("m,a=bcd x \n", lines_count));
    const auto far = time_to_read(repeated("m,a=bcd,x,\n", lines_count));
    EXPECT_LT(far, 50 * near) << "a thousand times as long where each line looks at all behind it";
}

TEST(line_protocol, an_unfinished_line_waits_for_its_end) {
    ingest::point_builder point;
    line_protocol_parser parser(point);
    ingest_test::line_trace trace(parser, describe);
    for (std::string_view piece : {"m a", "=\"x\n", "y\\", "\"z\" ", "1", "2\r"}) {
        trace.feed(piece, ingest::input_end::no);
        EXPECT_TRUE(trace.said.empty()) << piece;
    }
    trace.feed("\n", ingest::input_end::no);
    EXPECT_THAT(trace.said, ElementsAre(R"("m" [] {"a":"x\ny\"z" } @12)"));
    EXPECT_EQ(trace.kept(), "");
}

} // namespace
