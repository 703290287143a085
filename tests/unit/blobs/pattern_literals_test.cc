#include "blobs/core/pattern_literals.hh"

#include <cstdlib>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "blobs/core/digit_blind.hh"
#include "tests/unit/blobs/search_walk.hh"

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

TEST(pattern_literals, a_brace_stands_for_itself_unless_it_is_a_repetition) {
    EXPECT_THAT(required_literals("{[^}]+}"), ElementsAre("{", "}"));
    EXPECT_THAT(required_literals(R"({"a"}: fatal)"), ElementsAre(R"({"a"}: fatal)"));
    EXPECT_THAT(required_literals(R"({"a"|"b"}: fatal)"), IsEmpty());
    EXPECT_THAT(required_literals("ab{,5}c"), ElementsAre("ab{,5}c"));
    EXPECT_THAT(required_literals("ab{02}c{1,02}"), ElementsAre("ab{02}c{1,02}"));
    EXPECT_THAT(required_literals("ab{1000000000}c"), ElementsAre("ab{1000000000}c"));
    EXPECT_THAT(required_literals("ab{?c"), ElementsAre("ab", "c"));
}

TEST(pattern_literals, a_named_class_is_one_only_with_its_end) {
    EXPECT_THAT(required_literals("[[:]|[x]foo"), IsEmpty());
    EXPECT_THAT(required_literals("a[[:x]b"), ElementsAre("a", "b"));
    EXPECT_THAT(required_literals("a[[:alpha:]]b"), ElementsAre("a", "b"));
    EXPECT_THAT(required_literals("[+-[:x]|y:]foo"), IsEmpty());
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

// Where a scanner and RE2 could read a pattern differently, something that is in no text would be looked for, or texts that
// differ would be taken for alike.
class odd_patterns {
public:
    explicit odd_patterns(uint64_t seed) : _random(seed) {}

    std::string pattern() {
        static const std::vector<std::string> pieces{"a",         "b",         "ab",
                                                     "\xc3\xbc",  "(",         ")",
                                                     "(?:",       "(?i)",      "(?i:",
                                                     "(?P<n>",    "[",         "[^",
                                                     "]",         "[:",        ":]",
                                                     "[[:",       "[:]",       "[:x",
                                                     "[:alpha:]", "[:digit:]", "-",
                                                     "+-[",       "0-9",       "{",
                                                     "}",         "{,2}",      "{0}",
                                                     "{01}",      "{1,02}",    "{2,}",
                                                     "{0,1}",     "{2",        "{10000000000}",
                                                     "{1,",       "|",         "*",
                                                     "+",         "?",         "*?",
                                                     "+?",        "??",        "{0,2}?",
                                                     ".",         "^",         "$",
                                                     "\\b",       "\\B",       "\\A",
                                                     "\\z",       "\\Q",       "\\E",
                                                     "\\x41",     "\\x{5d}",   "\\pL",
                                                     "\\PN",      "\\p{L}",    "\\d",
                                                     "\\D",       "\\w",       "\\s",
                                                     "\\.",       "\\{",       "\\}",
                                                     "\\]",       "\\[",       "\\|",
                                                     "\\\\",      "\\-",       "\\141",
                                                     "\\t",       "(a|b)",     "(a{2}|b)*",
                                                     "[^}]",      "[]a]",      "[^]a]",
                                                     "[a-]",      "[\\]a]",    "[\\d.]",
                                                     "1",         ":",         "\"",
                                                     "{[^}]+}",   "[0-9a]",    "(?s)",
                                                     "(?-s:",     "7"};
        std::string made;
        for (size_t i = _random() % 7 + 1; i != 0; --i) {
            made += pieces[_random() % pieces.size()];
        }
        return made;
    }

    std::string text() {
        static const std::vector<std::string> pieces{"a", "b", "A", "B",  "\xc3\xbc", "{", "}", "[",   "]", ":",
                                                     "-", ",", "|", "\\", "\"",       ".", "0", "1",   "2", "7",
                                                     "x", "t", "Q", "\t", "ab",       "+", "(", "{,2}"};
        std::string made;
        for (size_t i = _random() % 10; i != 0; --i) {
            made += pieces[_random() % pieces.size()];
        }
        return made;
    }

    std::string with_other_digits(std::string text) {
        for (char& c : text) {
            c = c >= '0' && c <= '9' ? static_cast<char>('0' + _random() % 10) : c;
        }
        return text;
    }

private:
    std::mt19937_64 _random;
};

TEST(pattern_literals, odd_patterns_are_read_as_re2_reads_them) {
    const char* const chosen = std::getenv("DOWNTICK_SEED");
    const uint64_t seed = chosen == nullptr ? 83 : std::strtoull(chosen, nullptr, 10);
    odd_patterns random(seed);
    const RE2::Options quiet(RE2::Quiet);
    size_t with_literals = 0;
    size_t blind = 0;
    for (int round = 0; round < 30'000 / test::questions_share; ++round) {
        const auto pattern = random.pattern();
        const RE2 compiled(pattern, quiet);
        const auto literals = required_literals(pattern);
        const bool is_blind = is_digit_blind(pattern);
        for (int i = 0; i < 8 && compiled.ok(); ++i) {
            const auto text = random.text();
            const bool matches = RE2::PartialMatch(text, compiled);
            for (const auto& literal : literals) {
                ASSERT_TRUE(!matches || text.contains(literal)) << "seed " << seed << ": " << pattern << " on " << text;
            }
            if (is_blind) {
                const auto other = random.with_other_digits(text);
                ASSERT_EQ(matches, RE2::PartialMatch(other, compiled))
                    << "seed " << seed << ": " << pattern << " on " << text << ", " << other;
            }
            with_literals += matches && !literals.empty() ? 1 : 0;
            blind += is_blind && text != random.with_other_digits(text) ? 1 : 0;
        }
    }
    EXPECT_GT(with_literals, 1'000u / test::questions_share);
    EXPECT_GT(blind, 1'000u / test::questions_share);
}

} // namespace
} // namespace blobs
