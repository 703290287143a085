#include "ingest/core/json_lines.hh"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/core/limits.hh"
#include "ingest/core/line_carry.hh"
#include "tests/unit/ingest/json_trace.hh"

namespace {

using ingest::line_fault;
using ingest_test::bad_json;
using ingest_test::json_trace;
using ::testing::ElementsAre;

std::vector<std::string> read(std::string_view input, std::string default_source = "") {
    json_trace trace(std::move(default_source));
    trace.feed(input, ingest::input_end::yes);
    return trace.said();
}

std::string read_one(std::string_view line) {
    const auto said = read(line, "default");
    EXPECT_EQ(said.size(), 1u) << line;
    return said.empty() ? "" : said.front();
}

TEST(json_lines, what_has_a_family_is_a_point) {
    EXPECT_EQ(
        read_one(
            R"({"family":"cpu","time":1730000000,"tags":{"host":"a"},"fields":{"user":12.5,"n":3,"up":true,"note":"h\ni"}})"),
        R"("cpu" ["host"="a" ] {"user":12.5(4029000000000000) "n":3i "up":true "note":"h\ni" } @1730000000000000000)");
    EXPECT_EQ(read_one(R"({"fields":{"x":-1},"family":"m"})"), R"("m" [] {"x":-1i })");
}

TEST(json_lines, anything_else_is_a_record) {
    EXPECT_THAT(
        read(
            R"({"source":"web","time":"2024-10-27T03:33:20.5Z","level":"WARN","host":"h","app":"nginx","message":"GET /","status":200})"),
        ElementsAre(R"(source="web" level="4" host="h" app="nginx" {"status":200i } "GET /" @1730000000500000000)"));
    EXPECT_EQ(read_one("{}"), R"(source="default" {} "")");
}

TEST(json_lines, a_record_needs_a_source) {
    EXPECT_THAT(read(R"({"message":"x"})"), ElementsAre(bad_json(line_fault::missing_source)));
    EXPECT_THAT(read(R"({"message":"x","source":"a"})", "b"), ElementsAre(R"(source="b" {"source":"a" } "x")"));
    EXPECT_THAT(read(R"({"message":"x","source":null})", "b"), ElementsAre(R"(source="b" {} "x")"));
}

TEST(json_lines, nulls_are_as_good_as_nothing) {
    EXPECT_EQ(read_one(R"({"family":"m","time":null,"tags":{"a":null,"b":""},"fields":{"x":null,"y":1}})"),
              R"("m" [] {"y":1i })");
    EXPECT_EQ(read_one(R"({"family":"m","tags":null,"fields":{"x":null}})"), bad_json(line_fault::missing_fields));
    EXPECT_EQ(read_one(R"({"message":null,"level":null,"x":null})"), R"(source="default" {} "")");
}

TEST(json_lines, tags_may_be_numbers_and_booleans) {
    EXPECT_EQ(read_one(R"({"family":"m","tags":{"rack":87,"up":true},"fields":{"x":1}})"),
              R"("m" ["rack"="87" "up"="true" ] {"x":1i })");
}

TEST(json_lines, objects_in_records_become_names_with_points) {
    EXPECT_EQ(
        read_one(
            R"({"http":{"status":200,"url":{"path":"/"}},"list":[1,"a",{"b":null}],"fields":{"plain":true,"in":{"side":1}}})"),
        R"(source="default" {"http.status":200i "http.url.path":"/" "list":"[1,\"a\",{\"b\":null}]" "plain":true "in.side":1i } "")");
}

TEST(json_lines, a_level_that_is_none_becomes_a_field) {
    EXPECT_EQ(read_one(R"({"level":3})"), R"(source="default" level="3" {} "")");
    EXPECT_EQ(read_one(R"({"level":30})"), R"(source="default" {"level":30i } "")");
    EXPECT_EQ(read_one(R"({"level":"loud"})"), R"(source="default" {"level":"loud" } "")");
}

TEST(json_lines, a_message_may_be_anything) {
    EXPECT_EQ(read_one(R"({"message":{"a":[1]}})"), R"(source="default" {} "{\"a\":[1]}")");
    EXPECT_EQ(read_one(R"({"message":"\u0000\ud83d\ude00"})"), "source=\"default\" {} \"\\x00😀\"");
}

TEST(json_lines, a_whole_number_of_a_record_that_needs_64_bits_is_kept_as_its_digits) {
    EXPECT_EQ(read_one(R"({"message":"m","span":18446744073709551615,"n":9223372036854775807})"),
              read_one(R"({"message":"m","span":"18446744073709551615","n":9223372036854775807})"));
}

TEST(json_lines, every_fault_has_its_reason) {
    const std::pair<std::string, line_fault> cases[] = {
        {"x", line_fault::invalid_json},
        {"{", line_fault::invalid_json},
        {R"({"a":1}{"b":2})", line_fault::invalid_json},
        {R"({"a":01})", line_fault::invalid_json},
        {R"({"a":"\ud800"})", line_fault::invalid_json},
        {"{\"a\":\"\xff\"}", line_fault::not_utf8},
        {"[1]", line_fault::not_an_object},
        {"1", line_fault::not_an_object},
        {R"({"a":123456789012345678901234567890})", line_fault::value_out_of_range},
        {R"({"family":"m","fields":{"a":9223372036854775808}})", line_fault::unsigned_out_of_range},
        {R"({"family":5,"fields":{"x":1}})", line_fault::invalid_member},
        {R"({"family":"","fields":{"x":1}})", line_fault::missing_family},
        {R"({"family":"m"})", line_fault::missing_fields},
        {R"({"family":"m","fields":[1]})", line_fault::invalid_member},
        {R"({"family":"m","fields":{"x":{}}})", line_fault::invalid_value},
        {R"({"family":"m","fields":{"":1}})", line_fault::missing_field_name},
        {R"({"family":"m","fields":{"x":1},"tags":[]})", line_fault::invalid_member},
        {R"({"family":"m","fields":{"x":1},"tags":{"t":[]}})", line_fault::invalid_member},
        {R"({"family":"m","fields":{"x":1},"tags":{"t":"a","t":"b"}})", line_fault::duplicate_tag},
        {R"({"family":"m","fields":{"x":1},"tag":{"t":"a"}})", line_fault::invalid_member},
        {R"({"family":"m","fields":{"x":1},"time":true})", line_fault::invalid_time},
        {R"({"family":"m","fields":{"x":1},"time":"soon"})", line_fault::invalid_time},
        {R"({"time":[]})", line_fault::invalid_time},
        {R"({"time":1e300})", line_fault::time_out_of_range},
        {R"({"host":{}})", line_fault::invalid_member},
    };
    for (const auto& [line, fault] : cases) {
        EXPECT_EQ(read_one(line), bad_json(fault)) << line;
    }
}

TEST(json_lines, depth_is_bounded) {
    auto nested = [](size_t depth) {
        std::string line;
        for (size_t i = 0; i < depth; ++i) {
            line += "{\"a\":";
        }
        return line + "1" + std::string(depth, '}');
    };
    EXPECT_NE(read_one(nested(ingest::json_depth_max - 1)), bad_json(line_fault::json_too_deep));
    EXPECT_EQ(read_one(nested(ingest::json_depth_max + 1)), bad_json(line_fault::json_too_deep));
    EXPECT_EQ(read_one(nested(100'000)), bad_json(line_fault::json_too_deep));
}

TEST(json_lines, bad_lines_are_named_and_good_neighbours_kept) {
    EXPECT_THAT(read("{\"source\":\"a\",\"message\":\"1\"}\r\n\n \nx\n{\"source\":\"a\",\"message\":\"2\"}"),
                ElementsAre(R"(source="a" {} "1")", bad_json(line_fault::invalid_json, 4), R"(source="a" {} "2")"));
}

TEST(json_lines, long_lines_and_short_ones_may_alternate) {
    const std::string text(ingest::line_bytes_max - 100, 'x');
    const auto line = R"({"source":"a","message":")" + text + "\"}\n";
    const std::string small = R"({"source":"a","message":"s"})"
                              "\n";
    const auto said = read(small + line + small + line + small);
    ASSERT_EQ(said.size(), 5u);
    EXPECT_EQ(said[0], R"(source="a" {} "s")");
    EXPECT_EQ(said[3], R"(source="a" {} ")" + text + "\"");
    EXPECT_EQ(said[4], said[0]);
    EXPECT_THAT(read(R"({"m":")" + text + text + "\"}\n" + small), ElementsAre(bad_json(line_fault::line_too_long), said[0]));
}

TEST(json_lines, it_says_the_same_however_the_input_is_cut) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    const std::string_view pieces[] = {
        R"({"source":"a","message":"x"})", R"({"family":"m","fields":{"x":1}})", "\n", "\r\n", "{", "x", "\"", "\n\n"};
    for (int i = 0; i < 2'000; ++i) {
        std::string input;
        for (size_t n = random() % 12; n > 0; --n) {
            input += pieces[random() % std::size(pieces)];
        }
        json_trace trace("");
        trace.feed_in_pieces(input, random);
        ASSERT_EQ(trace.said(), read(input)) << "seed " << seed << "\n" << input;
    }
}

std::vector<std::string> read_array(std::string_view input) {
    json_trace trace("s", ingest::json_arrays::taken);
    trace.feed(input, ingest::input_end::yes);
    return trace.said();
}

TEST(json_arrays, elements_are_read_as_lines_are) {
    const auto lines = read("{\"message\":\"a, ]}\\\"b\"}\n{\"message\":\"c\",\"list\":\"[\"}", "s");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(read_array(" [ {\"message\":\"a, ]}\\\"b\"} ,\n{\"message\":\"c\",\"list\":\"[\"}] \n"), lines);
    EXPECT_EQ(read_array("{\"message\":\"a, ]}\\\"b\"}\n{\"message\":\"c\",\"list\":\"[\"}"), lines) << "lines are taken as well";
    EXPECT_TRUE(read_array("[]").empty());
    EXPECT_TRUE(read_array(" ").empty());
}

TEST(json_arrays, a_bad_element_costs_only_itself_and_a_bad_array_its_rest) {
    const auto good = read(R"({"message":"m"})", "s").front();
    EXPECT_THAT(read_array(R"([5,{"message":"m"}, "x" ,{"a":}])"),
                ElementsAre(bad_json(line_fault::not_an_object, 1), good, bad_json(line_fault::not_an_object, 3), testing::_));
    EXPECT_THAT(read_array(R"([{"message":"m"} {"message":"m"}])"), ElementsAre(good, bad_json(line_fault::invalid_json, 2)));
    EXPECT_THAT(read_array(R"([{"message":"m"},])"), ElementsAre(good, bad_json(line_fault::invalid_json, 2)));
    EXPECT_THAT(read_array(R"([{"message":"m"}] {})"), ElementsAre(good, bad_json(line_fault::invalid_json, 2)));
    EXPECT_THAT(read_array(R"([{"message":"m"})"), ElementsAre(good, bad_json(line_fault::invalid_json, 2)));
    EXPECT_THAT(read_array(R"([{"message":)"), ElementsAre(bad_json(line_fault::invalid_json, 2)));
}

TEST(json_arrays, an_element_that_is_too_long_is_skipped) {
    const auto good = read(R"({"message":"m"})", "s").front();
    const std::string large = R"({"message":")" + std::string(ingest::line_bytes_max, 'x') + R"("})";
    EXPECT_THAT(read_array("[" + large + R"(,{"message":"m"}])"), ElementsAre(bad_json(line_fault::line_too_long, 1), good));
}

// As a stream reads it: what is kept between pieces is bounded.
std::vector<std::string> read_array_in_two(const std::string& input, size_t cut) {
    ingest::point_builder point;
    ingest::record_builder record;
    ingest::json_reader reader(point, record);
    ingest::json_lines_parser parser(reader, "s", ingest::json_arrays::taken);
    ingest::line_carry carry;
    std::vector<std::string> said;
    const auto take = [&](std::string_view& rest, ingest::input_end end) {
        for (auto step = parser.next(rest, end); step != ingest::line_step::need_more; step = parser.next(rest, end)) {
            said.push_back(step == ingest::line_step::bad_line ? ingest_test::fault_text(parser.fault())
                                                               : ingest_test::json_text(parser, step));
        }
    };
    carry.feed(input.substr(0, cut), take);
    carry.feed(input.substr(cut), take);
    carry.finish(take);
    return said;
}

TEST(json_arrays, any_number_of_blanks_may_come_before_the_first) {
    const auto good = read(R"({"message":"m"})", "s").front();
    for (const size_t over : {0, 1, 6, 14, 15, 16, 17, 100}) {
        for (const char blank : {' ', '\n'}) {
            const std::string blanks(ingest::line_bytes_max + 1 - over, blank);
            for (const std::string text : {R"({"message":"m"})", R"([{"message":"m"}])", "{\n\"message\":\"m\"}"}) {
                EXPECT_THAT(read_array_in_two(blanks + text, blanks.size() + 3), ElementsAre(good)) << over << text;
                EXPECT_THAT(read_array_in_two(blanks + text, blanks.size() - 3), ElementsAre(good)) << over << text;
            }
        }
    }
}

TEST(json_arrays, the_pieces_it_comes_in_do_not_matter) {
    const std::string input = "\n \n"
                              R"( [{"message":"a\\\"],["} , 17,{"message":"b","n":{"x":[1,2]}},{"message":"c"}])";
    const auto whole = read_array(input);
    EXPECT_EQ(whole.size(), 4u);
    const auto seed = std::random_device()();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 200; ++round) {
        json_trace trace("s", ingest::json_arrays::taken);
        trace.feed_in_pieces(input, random);
        ASSERT_EQ(trace.said(), whole) << "seed " << seed;
        json_trace lines("s", ingest::json_arrays::taken);
        lines.feed_in_pieces("\n \n{\"message\":\"a\"}\n5\n", random);
        ASSERT_EQ(lines.said(), read_array("\n \n{\"message\":\"a\"}\n5\n")) << "seed " << seed;
    }
}

TEST(json_documents, an_object_may_have_several_lines) {
    const auto one = read(R"({"message":"a","n":{"x":1}})", "s");
    EXPECT_EQ(read_array("{\n  \"message\": \"a\",\n  \"n\": {\n    \"x\": 1\n  }\n}\n"), one);
    EXPECT_EQ(read_array("\n{ \"message\": \"a\",\r\n\"n\": {\"x\": 1}}"), one);
    const auto two = read("{\"message\":\"a\",\"n\":{\"x\":1}}\n{\"message\":\"b\"}", "s");
    EXPECT_EQ(read_array("{\n\"message\":\"a\",\"n\":{\"x\":1}}\n{\n\"message\":\"b\"\n}"), two) << "one behind the other";
}

TEST(json_documents, one_that_does_not_end_is_told) {
    EXPECT_THAT(read_array("{\n\"message\":\"a\"\n"), ElementsAre(bad_json(line_fault::invalid_json, 2)));
    const auto good = read(R"({"message":"m"})", "s").front();
    EXPECT_THAT(read_array("{\"message\":\n{\"message\":\"m\"}\n"), ElementsAre(bad_json(line_fault::invalid_json, 1), good))
        << "a line that is cut off costs only itself";
}

TEST(json_documents, the_pieces_they_come_in_do_not_matter) {
    const std::string input = "\n{\n \"message\": \"a\",\n \"list\": [1,\n2]\n}\n{\"message\":\"b\"} x";
    const auto whole = read_array(input);
    const auto seed = std::random_device()();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 200; ++round) {
        json_trace trace("s", ingest::json_arrays::taken);
        trace.feed_in_pieces(input, random);
        ASSERT_EQ(trace.said(), whole) << "seed " << seed;
    }
}

TEST(json_lines, a_source_that_is_given_wins_and_the_other_is_a_field) {
    EXPECT_THAT(read(R"({"source":"other","message":"m"})", "s"), ElementsAre(R"(source="s" {"source":"other" } "m")"));
    EXPECT_THAT(read(R"({"source":"s","message":"m"})", "s"), ElementsAre(R"(source="s" {} "m")"));
    EXPECT_THAT(read(R"({"source":"other","message":"m","fields":{"source":5}})", "s"),
                ElementsAre(R"(source="s" {"source":5i } "m")"));
}

} // namespace
