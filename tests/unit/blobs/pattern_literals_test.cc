#include "blobs/core/pattern_literals.hh"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

namespace blobs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(pattern_literals, runs_that_no_match_can_do_without) {
    EXPECT_THAT(required_literals("abc"), ElementsAre("abc"));
    EXPECT_THAT(required_literals("abc.*def"), ElementsAre("abc", "def"));
    EXPECT_THAT(required_literals("abc+d"), ElementsAre("abc", "d"));
    EXPECT_THAT(required_literals("abc?d"), ElementsAre("ab", "d"));
    EXPECT_THAT(required_literals("abc{0,3}d"), ElementsAre("ab", "d"));
    EXPECT_THAT(required_literals(R"(a\.b\[c)"), ElementsAre("a.b[c"));
    EXPECT_THAT(required_literals("user (root|admin) from"), ElementsAre("user ", " from"));
    EXPECT_THAT(required_literals("x[]a]y"), ElementsAre("x", "y"));
    EXPECT_THAT(required_literals("gr\xc3\xbc?n"), ElementsAre("gr", "n"));
}

TEST(pattern_literals, what_is_not_understood_gives_none) {
    EXPECT_THAT(required_literals("a|b"), IsEmpty());
    EXPECT_THAT(required_literals("(?i)abc"), IsEmpty());
    EXPECT_THAT(required_literals("abc(?i:x)"), IsEmpty());
    EXPECT_THAT(required_literals(R"(\Qa.b\E)"), IsEmpty());
    EXPECT_THAT(required_literals(R"(\x41bc)"), IsEmpty());
}

TEST(pattern_literals, are_in_every_text_that_a_random_pattern_matches) {
    const uint64_t seed = 61;
    std::mt19937_64 random(seed);
    const std::vector<std::string> pieces{"a",    "b",     "ab",  "(a|b)", "[ab]",   "[^a]", "*", "+",
                                          "?",    "{0,2}", "{2}", ".",     "|",      "\\.",  "^", "$",
                                          "(ab)", "\\d",   "c",   "\\b",   "(?:bc)", "(?i)", "-", "(?s)"};
    const RE2::Options quiet(RE2::Quiet);
    size_t matches = 0;
    for (int round = 0; round < 40'000; ++round) {
        std::string pattern;
        for (size_t i = random() % 8 + 1; i != 0; --i) {
            pattern += pieces[random() % pieces.size()];
        }
        std::string text;
        for (size_t i = random() % 12; i != 0; --i) {
            text += "abcAB.-1"[random() % 8];
        }
        const RE2 compiled(pattern, quiet);
        if (!compiled.ok() || !RE2::PartialMatch(text, compiled)) {
            continue;
        }
        ++matches;
        for (const auto& literal : required_literals(pattern)) {
            ASSERT_NE(text.find(literal), std::string::npos) << "seed " << seed << ": " << pattern << " on " << text;
        }
    }
    EXPECT_GT(matches, 1'000u);
}

} // namespace
} // namespace blobs
