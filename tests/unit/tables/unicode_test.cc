#include "tables/core/unicode.hh"

#include <gtest/gtest.h>

#include "tests/unit/tables/random_text.hh"

namespace {

using namespace tables;

TEST(unicode, characters_come_back_and_are_counted_in_utf16_units) {
    constexpr uint64_t seed = 1;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20'000; ++i) {
        const auto characters = tables_test::random_characters(random, 40);
        const auto text = tables_test::utf8_of(characters);
        ASSERT_TRUE(is_utf8(text));
        ASSERT_EQ(utf16_length(text), tables_test::utf16_of(characters).size());
        std::string_view rest = text;
        for (auto c : characters) {
            ASSERT_EQ(take_character(rest), c);
        }
        ASSERT_TRUE(rest.empty());
    }
}

TEST(unicode, what_is_not_utf8_is_refused_wherever_it_stands) {
    const std::string_view bad[] = {
        "\x80",             // a continuation byte alone
        "\xc3",             // cut off
        "\xc0\xaf",         // overlong '/'
        "\xe0\x80\xaf",     // overlong in three
        "\xf0\x80\x80\xaf", // overlong in four
        "\xed\xa0\x80",     // a surrogate
        "\xf4\x90\x80\x80", // beyond U+10FFFF
        "\xff",
        "\xe2\x28\xa1", // the second byte is not a continuation
    };
    for (auto bytes : bad) {
        for (size_t before = 0; before < 10; ++before) {
            const auto text = std::string(before, 'a') + std::string(bytes) + "aaaaaaaa";
            EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(text);
        }
        EXPECT_FALSE(is_utf8(bytes));
    }
}

TEST(unicode, what_is_no_character_is_shown_as_such) {
    EXPECT_EQ(repaired_utf8("gr\xc3\xbc\xc3\x9f"
                            "e"),
              "gr\xc3\xbc\xc3\x9f"
              "e");
    EXPECT_EQ(repaired_utf8("caf\xe9!"), "caf\xef\xbf\xbd!");
    EXPECT_EQ(repaired_utf8("\xff\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(unicode, a_character_that_cannot_be_read_stays) {
    std::string_view text = "\xed\xa0\x80z";
    EXPECT_EQ(take_character(text), std::nullopt);
    EXPECT_EQ(text.size(), 4u);
}

} // namespace
