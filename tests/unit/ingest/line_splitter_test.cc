#include "ingest/core/line_splitter.hh"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingest/core/limits.hh"

namespace {

using ingest::input_end;
using ::testing::ElementsAre;

std::vector<std::string> take_lines(ingest::line_splitter& lines, std::string_view& rest, input_end end) {
    std::vector<std::string> taken;
    while (const auto line = lines.next(rest, end)) {
        taken.push_back(std::to_string(line->number) + (line->is_too_long ? "!" : ":" + std::string(line->text)));
    }
    return taken;
}

TEST(line_splitter, lines_end_with_line_feeds_and_may_have_carriage_returns) {
    ingest::line_splitter lines;
    std::string_view rest = "a\nb\r\n\n\r\nc\rd\ne";
    EXPECT_THAT(take_lines(lines, rest, input_end::no), ElementsAre("1:a", "2:b", "3:", "4:", "5:c\rd"));
    EXPECT_EQ(rest, "e");
    EXPECT_THAT(take_lines(lines, rest, input_end::yes), ElementsAre("6:e"));
}

TEST(line_splitter, a_line_over_the_limit_is_reported_once_and_skipped) {
    const std::string longest(ingest::line_bytes_max, 'x');
    const auto input = longest + "\n" + longest + "x\nnext\n";
    ingest::line_splitter lines;
    std::string_view rest = input;
    const auto taken = take_lines(lines, rest, input_end::no);
    EXPECT_THAT(taken, ElementsAre("1:" + longest, "2!", "3:next"));
}

TEST(line_splitter, an_endless_line_needs_no_memory) {
    ingest::line_splitter lines;
    const std::string piece(100'000, 'x');
    std::string kept;
    std::vector<std::string> taken;
    for (int i = 0; i < 30; ++i) {
        kept += piece;
        std::string_view rest = kept;
        for (auto& line : take_lines(lines, rest, input_end::no)) {
            taken.push_back(line);
        }
        kept = std::string(rest);
        EXPECT_LE(kept.size(), ingest::line_bytes_max);
    }
    EXPECT_THAT(taken, ElementsAre("1!"));
}

} // namespace
