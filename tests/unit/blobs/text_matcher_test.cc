#include "blobs/core/text_matcher.hh"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace blobs {
namespace {

// Pieces at whose borders the rules of templates differ.
std::string random_text(std::mt19937_64& random, bool with_masks) {
    static constexpr std::string_view pieces[] = {"a",
                                                  "cd",
                                                  "x",
                                                  "Z",
                                                  ".",
                                                  ":",
                                                  "-",
                                                  "_",
                                                  " ",
                                                  " /",
                                                  "[",
                                                  "deadbeef",
                                                  "T0",
                                                  "port",
                                                  "\xc3",
                                                  "11",
                                                  "long literal between words"};
    std::string text;
    for (size_t count = random() % 12; count > 0; --count) {
        switch (random() % 8) {
        case 0: text += std::to_string(random() % 10); break;
        case 1: text += std::to_string(random()); break;
        case 2: text += std::string(random() % 25, static_cast<char>('0' + random() % 10)); break;
        case 3: text += std::to_string(random() % 100'000); break;
        default: text += pieces[random() % std::size(pieces)]; break;
        }
    }
    if (with_masks && random() % 8 == 0) {
        text.insert(random() % (text.size() + 1), 1, static_cast<char>(1 + random() % mask_last));
    }
    return text;
}

// The same with other digits, as many or not.
std::string with_other_digits(std::string_view text, std::mt19937_64& random) {
    std::string other;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool is_digit = byte_class::is(text[i], byte_class::digit);
        if (!is_digit) {
            other.push_back(text[i]);
        } else if (random() % 8 != 0) {
            for (size_t more = random() % 6 == 0 ? 1 + random() % 12 : 1; more > 0; --more) {
                other.push_back(static_cast<char>('0' + random() % 10));
            }
        }
    }
    return other;
}

struct matched {
    bool is_matched = false;
    std::vector<text_ref> words;
    std::vector<digits_read> digits;
};

matched match(std::string_view of, std::string_view text, bool& can_match) {
    text_shaper shaper;
    matched m;
    can_match = false;
    if (shaper.shape(of)) {
        const std::string masked(shaper.masked());
        const text_matcher matcher(masked, text_template::parse(masked));
        can_match = matcher.can_match();
        m.is_matched = matcher.match(masked, text, 0, m.words, m.digits);
    }
    return m;
}

bool matches(std::string_view of, std::string_view text) {
    bool can_match = false;
    return match(of, text, can_match).is_matched;
}

void expect_as_shaped(std::string_view text, const matched& m) {
    text_shaper shaper;
    ASSERT_TRUE(shaper.shape(text));
    ASSERT_EQ(m.words.size(), shaper.words().size());
    size_t next = 0;
    for (size_t w = 0; w < m.words.size(); ++w) {
        EXPECT_EQ(m.words[w].begin, shaper.words()[w].begin);
        EXPECT_EQ(m.words[w].size, shaper.words()[w].size);
        for (auto rest = view(text, m.words[w]); !rest.empty();) {
            const size_t size = variable_size(rest, mask::digits);
            if (size == 0) {
                rest.remove_prefix(1);
                continue;
            }
            ASSERT_LT(next, m.digits.size());
            EXPECT_EQ(m.digits[next].value, std::stoull(std::string(rest.substr(0, size))));
            EXPECT_EQ(m.digits[next].width, size);
            EXPECT_EQ(m.digits[next].has_leading_zero, size > 1 && rest.front() == '0');
            rest.remove_prefix(size);
            ++next;
        }
    }
    EXPECT_EQ(next, m.digits.size());
}

TEST(text_matcher, digits_of_any_width_are_the_same_template) {
    EXPECT_TRUE(matches("took 5 ms on eth0", "took 1234567890123456789 ms on eth17"));
    EXPECT_TRUE(matches("2026-11-18T10:00:00.123456Z up", "1970-01-01T00:00:59.1Z up"));
    EXPECT_FALSE(matches("took 5 ms", "took 5 s"));
    EXPECT_FALSE(matches("took 5 ms", "took  ms"));
    EXPECT_FALSE(matches("took 5 ms", "took 5 ms more"));
    EXPECT_FALSE(matches("took 5", "took 12345678901234567890")); // two variables
}

TEST(text_matcher, what_depends_on_the_number_of_digits_is_not_matched) {
    EXPECT_FALSE(matches("ab1cd", "ab12cd"));                                                              // hex
    EXPECT_FALSE(matches("1-2-3-4-5", "12345678-1234-1234-1234-123456789012"));                            // a uuid
    EXPECT_FALSE(matches("id 1", "id \x01"));                                                              // no template
    EXPECT_FALSE(matches("a1b2c3", "a1b2c3"));                                                             // opaque
    EXPECT_FALSE(matches("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000")); // a uuid
}

TEST(text_matcher, a_match_is_what_shaping_makes_of_the_text) {
    constexpr uint64_t seed = 20'261'118;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    size_t matched_count = 0;
    for (int round = 0; round < 200'000; ++round) {
        const auto of = random_text(random, true);
        const auto text = round % 4 == 0 ? random_text(random, true) : with_other_digits(of, random);
        bool can_match = false;
        const auto m = match(of, text, can_match);
        text_shaper one;
        text_shaper other;
        const bool is_same = one.shape(of) && other.shape(text) && one.masked() == other.masked();
        ASSERT_EQ(m.is_matched, can_match && is_same) << of << " / " << text;
        if (m.is_matched) {
            ++matched_count;
            ASSERT_EQ(signature_of(of), signature_of(text)) << of << " / " << text;
            expect_as_shaped(text, m);
        } else {
            EXPECT_TRUE(m.words.empty() && m.digits.empty());
        }
    }
    EXPECT_GT(matched_count, 10'000u);
}

} // namespace
} // namespace blobs
