#include "tables/core/identifier.hh"

#include <gtest/gtest.h>

namespace {

using tables::is_identifier;

TEST(identifier, letters_digits_marks_and_connectors_of_any_script) {
    const std::string_view good[] = {
        "a",
        "_",
        "_9",
        "usage_user",
        "Birthday",
        "x1",
        "stra\xc3\x9f"
        "e",                        // straße
        "\xe6\xb8\xa9\xe5\xba\xa6", // Lo
        "\xe2\x85\xa7",             // roman numeral eight, Nl
        "e\xcc\x81",                // combining acute, Mn
        "a\xd9\xa3",                // arabic-indic three, Nd
        "a\xe2\x80\xbf"
        "b",                // undertie, Pc
        "\xf0\x9d\x94\xb8", // a letter beyond the basic plane
    };
    for (auto name : good) {
        EXPECT_TRUE(is_identifier(name)) << name;
    }
}

TEST(identifier, anything_else_is_refused) {
    const std::string_view bad[] = {
        "",
        "123",
        "1a",
        "a-b",
        "a b",
        "a.b",
        "a%20b",
        "a@odata.type",
        "\xcc\x81"
        "e",                // begins with a combining mark
        "\xd9\xa3",         // begins with a digit of another script
        "a\xe2\x82\xac",    // euro sign, Sc
        "\xf0\x9f\x98\x80", // emoji, So
        "a\xff",
        std::string_view("a\0", 2),
        "\xc3\x97", // multiplication sign, between letters
    };
    for (auto name : bad) {
        EXPECT_FALSE(is_identifier(name)) << name;
    }
}

TEST(identifier, both_ends_of_a_range_belong_to_it) {
    EXPECT_TRUE(is_identifier("\xc3\x80"));      // U+00C0, the first of C0..D6
    EXPECT_TRUE(is_identifier("\xc3\x96"));      // U+00D6, the last
    EXPECT_FALSE(is_identifier("\xc2\xbf"));     // U+00BF
    EXPECT_TRUE(is_identifier("\xe9\xbf\xbf"));  // U+9FFF, the last ideograph of its block
    EXPECT_FALSE(is_identifier("\xea\x92\x90")); // U+A490, beyond the Yi syllables
}

} // namespace
