// What searches know without putting texts together: needles that begin and end in the middle of variables, and beside them.

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "blobs/core/digit_blind.hh"
#include "blobs/core/needle.hh"
#include "tests/unit/blobs/search_walk.hh"

namespace blobs {
namespace {

using byte_class::is;
using test::owned_record;

class cut_source {
public:
    cut_source(const std::vector<owned_record>& records, uint64_t seed) : _records(records), _random(seed) {}

    record_predicate next() {
        record_predicate p;
        for (uint64_t i = 1 + _random.below(8) / 7; i != 0; --i) {
            p.texts.push_back(text());
        }
        return p;
    }

private:
    // Somewhere near a place where digits, letters and all other bytes meet.
    size_t cut(std::string_view text, size_t from) {
        const auto kind = [&](size_t i) { return is(text[i], byte_class::digit) ? 2 : is(text[i], byte_class::run) ? 1 : 0; };
        size_t at = from;
        while (at + 1 < text.size() && kind(at) == kind(at + 1)) {
            ++at;
        }
        return std::min(text.size(), at + _random.below(3));
    }

    text_test text() {
        std::vector<base::property> fields;
        const auto r = _records[_random.below(_records.size())].view(fields);
        text_test t{.about = static_cast<text_test::subject>(_random.below(2))};
        const auto subject = t.about == text_test::subject::text ? r.text : r.message;
        size_t begin = subject.empty() ? 0 : cut(subject, _random.below(subject.size()));
        size_t end = begin;
        for (uint64_t i = 1 + _random.below(6); i != 0; --i) {
            end = cut(subject, end);
        }
        switch (_random.below(8)) {
        case 0: t.test = text_test::kind::starts_with, begin = 0; break;
        case 1: t.test = text_test::kind::ends_with, end = subject.size(); break;
        case 2:
        case 3: t.test = text_test::kind::matches; break;
        default: break;
        }
        t.argument = subject.substr(begin, std::min<size_t>(end - begin, 60));
        if (!t.argument.empty() && _random.below(4) == 0) {
            t.argument[_random.below(t.argument.size())] = "07af -x"[_random.below(7)];
        }
        t.argument = t.test == text_test::kind::matches ? pattern(t.argument) : t.argument;
        return t;
    }

    std::string pattern(std::string_view text) {
        std::string made;
        while (!text.empty()) {
            const bool is_number = is(text.front(), byte_class::digit);
            size_t size = 0;
            while (size < text.size() && is(text[size], byte_class::digit) == is_number) {
                ++size;
            }
            made += is_number && _random.below(5) != 0 ? number(size) : re2::RE2::QuoteMeta(text.substr(0, size));
            text.remove_prefix(size);
        }
        return made;
    }

    std::string number(size_t size) {
        switch (_random.below(6)) {
        case 0: return "[0-9]+";
        case 1: return "\\d{" + std::to_string(size) + "}";
        case 2: return "[0-9a-f]{1," + std::to_string(size) + "}";
        case 3: return "\\b\\w+\\b";
        case 4: return "[1-5]+";
        default: return "[[:digit:]]*";
        }
    }

    const std::vector<owned_record>& _records;
    test::record_source _random;
};

TEST(screen, finds_what_a_walk_finds_with_needles_cut_at_variables_on_ten_thousand_questions) {
    const uint64_t seed = 71;
    SCOPED_TRACE(seed);
    const auto records = test::record_source(seed).records(400, 20);
    cut_source queries(records, seed);
    test::compare_with_a_walk(records, 1, 10'000 / test::questions_share, [&] { return queries.next(); });
}

TEST(screen, finds_what_a_walk_finds_where_words_come_again) {
    const uint64_t seed = 72;
    SCOPED_TRACE(seed);
    test::record_source random(seed);
    auto records = random.records(600, 0);
    for (auto& r : records) {
        const auto id = std::to_string(random.below(9) * 1'234'567'890'123);
        r.text = "<" + id + "> peer 10.0." + std::to_string(random.below(40)) + ".7:" + std::to_string(80 + random.below(40)) +
                 " has v" + std::to_string(random.below(3)) + "x" + std::to_string(random.below(3)) + "y" + " key deadbeef" +
                 std::to_string(10 + random.below(4)) + " after " + std::string(random.below(4), '9') +
                 "1234567890123456789012 s";
        r.message_begin = id.size() + 3;
        r.message_size = r.text.size() - r.message_begin - random.below(2) * 2;
    }
    cut_source queries(records, seed);
    test::compare_with_a_walk(records, 1, 4'000 / test::questions_share, [&] { return queries.next(); });
}

TEST(screen, a_pattern_is_digit_blind_when_it_names_digits_only_all_together) {
    for (const char* blind : {"", "abc", "[0-9]+", R"(\d+\.\d{1,3})", "[a-z0-9_]*", "[^0-9]", "[[:digit:]x]+", R"([\d.]+)",
                              "a{2,5}b", R"([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+)", "[ -~]", R"(\bat\b)", "[]0-9]", "(?i)abc"}) {
        EXPECT_TRUE(is_digit_blind(blind)) << blind;
    }
    for (const char* seeing :
         {"1",       "[0-5]",   "[1-9]",    "a7",      "[+-0-9]",       "[]5]",      "[[:alpha:]{3}]", "[]{3}]",
          R"(\x31)", R"(\061)", R"(\Q1\E)", "a{,5}",   "{5x}",          R"(\pN)",    "[0-9-5]",        "(?P<n1>a)",
          "[[:a]7",  "[[:]7",   "a{02}",    "a{1,02}", "a{1000000000}", "[+-[:a]7:]"}) {
        EXPECT_FALSE(is_digit_blind(seeing)) << seeing;
    }
}

TEST(screen, a_pattern_that_is_digit_blind_says_the_same_of_other_digits) {
    test::record_source random(73);
    const std::vector<std::string> pieces{"a",   "b",       "[0-9]", "\\d", "[a-f0-9]", "{2}", "+", "*",     "[^a]", ".",
                                          "\\w", "[^0-9b]", "|",     "(",   ")",        "-",   "[", "{1,3}", "]",    "0-9"};
    for (int i = 0; i < 20'000 / test::questions_share; ++i) {
        std::string text;
        for (uint64_t n = 1 + random.below(6); n != 0; --n) {
            text += pieces[random.below(pieces.size())];
        }
        const re2::RE2 pattern(text, re2::RE2::Quiet);
        if (!pattern.ok() || !is_digit_blind(text)) {
            continue;
        }
        for (int k = 0; k < 5; ++k) {
            std::string one;
            std::string other;
            for (uint64_t n = random.below(8); n != 0; --n) {
                const char c = "ab-09x15"[random.below(8)];
                one += c;
                other += c >= '0' && c <= '9' ? static_cast<char>('0' + random.below(10)) : c;
            }
            ASSERT_EQ(re2::RE2::PartialMatch(one, pattern), re2::RE2::PartialMatch(other, pattern))
                << text << ": " << one << ", " << other;
        }
    }
}

TEST(screen, a_needle_is_ruled_out_by_a_template_that_cannot_have_it) {
    const std::string masked = "port \x01 of \x01.\x01";
    EXPECT_TRUE(needle("ort 22 o").may_be_in(masked, true, false));
    EXPECT_TRUE(needle("7").may_be_in(masked, true, false));
    EXPECT_FALSE(needle("22 at").may_be_in(masked, true, false));
    EXPECT_FALSE(needle("1.2.3").may_be_in(masked, true, false));
    EXPECT_FALSE(needle("\x01").may_be_in(masked, true, false));
    EXPECT_TRUE(needle("123456789012345678901 of").may_be_in(masked, true, false));
    EXPECT_EQ(needle("block blk_12 of 123").piece(), "blk_12");
    EXPECT_EQ(needle("block of").piece(), "");
}

} // namespace
} // namespace blobs
