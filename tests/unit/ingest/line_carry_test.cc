#include "ingest/core/line_carry.hh"

#include <functional>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/core/line_protocol.hh"
#include "ingest/core/line_splitter.hh"

namespace {

using ingest::input_end;
using ingest::line_carry;
using ingest::line_step;
using ::testing::ElementsAre;

// Lines of line protocol, strings with line breaks in them included, as family and number of fields.
std::vector<std::string> read(std::string_view input, const std::function<size_t()>& next_size) {
    ingest::point_builder point;
    ingest::line_protocol_parser parser(point);
    line_carry carry;
    std::vector<std::string> seen;
    auto take = [&](std::string_view& rest, input_end end) {
        for (;;) {
            switch (parser.next(rest, end)) {
            case line_step::point:
                seen.push_back(std::string(parser.point().family) + std::to_string(parser.point().fields.size()));
                break;
            case line_step::bad_line: seen.push_back("bad " + std::to_string(parser.fault().line)); break;
            default: return;
            }
        }
    };
    while (!input.empty()) {
        const auto piece = input.substr(0, next_size());
        input.remove_prefix(piece.size());
        carry.feed(std::string(piece), take); // a copy, so that nobody can rely on what is behind it
    }
    carry.finish(take);
    return seen;
}

TEST(line_carry, how_the_input_is_cut_makes_no_difference) {
    const uint64_t seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::string input = "a x=1\nbad\nb s=\"two\nlines\\\"\n\",y=2\n\n# no\nc x=1,y=2,z=3\r\nd s=\"open\ne x=1";
    const auto expected = read(input, [&] { return input.size(); });
    EXPECT_THAT(expected, ElementsAre("a1", "bad 2", "b2", "c3", "bad 9", "e1"));
    for (int i = 0; i < 2'000; ++i) {
        const size_t largest = 1 + random() % 12;
        ASSERT_EQ(read(input, [&] { return 1 + random() % largest; }), expected);
    }
}

TEST(line_carry, an_endless_line_takes_bounded_memory_and_only_itself) {
    ingest::line_splitter lines;
    line_carry carry;
    std::vector<std::string> seen;
    auto take = [&](std::string_view& rest, input_end end) {
        while (const auto line = lines.next(rest, end)) {
            seen.push_back(line->is_too_long ? "too long" : std::string(line->text));
        }
    };
    carry.feed("first\n", take);
    const std::string piece(50'000, 'x');
    for (int i = 0; i < 200; ++i) {
        carry.feed(piece, take);
        ASSERT_LE(carry.capacity(), 3 * ingest::line_bytes_max);
    }
    EXPECT_LE(carry.capacity(), 4096u) << "once it is known to be too long nothing is kept";
    carry.feed("x\nlast\n", take);
    EXPECT_THAT(seen, ElementsAre("first", "too long", "last"));
}

TEST(line_carry, all_bytes_go_on_also_when_more_is_left_than_may_be) {
    line_carry carry(8);
    size_t longest = 0;
    // Takes nothing before the last byte.
    auto take = [&](std::string_view& rest, input_end) {
        longest = std::max(longest, rest.size());
        rest = rest.ends_with('.') ? std::string_view() : rest;
    };
    carry.feed("0123456789", take);
    carry.feed("0123456789.", take);
    EXPECT_EQ(longest, 21u);
    EXPECT_EQ(carry.bytes(), 0u);
}

TEST(line_carry, a_string_that_is_given_up_holds_nobody_up) {
    ingest::point_builder point;
    ingest::line_protocol_parser parser(point);
    line_carry carry;
    std::vector<std::string> seen;
    auto take = [&](std::string_view& rest, input_end end) {
        for (auto step = parser.next(rest, end); step != line_step::need_more; step = parser.next(rest, end)) {
            seen.push_back(step == line_step::point ? std::string(parser.point().family)
                                                    : fmt::format("{} {}", name(parser.fault().fault), parser.fault().line));
        }
    };
    carry.feed("a f=\"two\nlines\",g=\"o", take);
    EXPECT_FALSE(parser.has_open_string()) << "nothing can be behind it yet";
    carry.feed("ops\nb x=1\n", take);
    EXPECT_TRUE(parser.has_open_string());
    carry.feed("c x=1\nd g=\"oops\ne x=1\nf x=", take);
    EXPECT_THAT(seen, ElementsAre("text_after_string 1", "missing_fields 2", "b", "c")) << "the next quote is not the one";
    EXPECT_TRUE(parser.has_open_string());
    seen.clear();
    parser.give_up_string();
    carry.take_again(take);
    EXPECT_FALSE(parser.has_open_string());
    EXPECT_THAT(seen, ElementsAre("unterminated_string 5", "e"));
    EXPECT_EQ(carry.bytes(), std::string_view("f x=").size());
    seen.clear();
    carry.feed("1\ng f=\"two\nli", take);
    carry.feed("nes\"\n", take);
    EXPECT_THAT(seen, ElementsAre("f", "g")) << "the next one has its time again";
}

} // namespace
