#include "http/core/percent.hh"

#include <gtest/gtest.h>

namespace http {

TEST(percent, decodes_every_escape_once) {
    EXPECT_EQ(percent_decode("a%20b%2Fc%2f%25"), "a b/c/%");
    EXPECT_EQ(percent_decode("%252F"), "%2F");
    EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
    EXPECT_EQ(percent_decode("%C3%A9"), "\xC3\xA9");
    EXPECT_EQ(percent_decode(""), "");
}

TEST(percent, a_plus_is_a_space_only_in_forms) {
    EXPECT_EQ(percent_decode("a+b%2B"), "a+b+");
    EXPECT_EQ(form_decode("a+b%2B"), "a b+");
}

TEST(percent, refuses_broken_escapes) {
    for (auto text : {"%", "%4", "a%", "a%4", "%zz", "%4g", "%g4", "%%41", "% 41", "%-1"}) {
        EXPECT_FALSE(percent_decode(text)) << text;
        EXPECT_FALSE(form_decode(text)) << text;
    }
}

TEST(percent, encoding_is_undone_by_decoding) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all.push_back(static_cast<char>(byte));
    }
    EXPECT_EQ(percent_decode(percent_encode(all)), all);
    EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
    EXPECT_EQ(percent_encode("a b/\xff"), "a%20b%2F%FF");
}

} // namespace http
