#include "http/core/query_string.hh"

#include <gtest/gtest.h>

namespace http {

TEST(query_string, decodes_names_and_values_as_form_data) {
    auto query = query_string::parse("%24filter=PartitionKey+eq+%27a%26b%27&$top=5&flag&e=&x=a=b");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->get("$filter"), "PartitionKey eq 'a&b'");
    EXPECT_EQ(query->get("$top"), "5");
    EXPECT_EQ(query->get("flag"), "");
    EXPECT_EQ(query->get("e"), "");
    EXPECT_EQ(query->get("x"), "a=b");
    EXPECT_EQ(query->get("$Top"), std::nullopt);
    EXPECT_EQ(query->all().size(), 5u);
}

TEST(query_string, the_first_of_a_name_wins_and_empty_parts_are_skipped) {
    auto query = query_string::parse("&a=1&&a=2&");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->get("a"), "1");
    EXPECT_EQ(query->all(), (std::vector<query_parameter>{{"a", "1"}, {"a", "2"}}));
    EXPECT_TRUE(query_string::parse("")->all().empty());
}

TEST(query_string, refuses_broken_escapes_and_too_many_parameters) {
    EXPECT_FALSE(query_string::parse("a=%4"));
    EXPECT_FALSE(query_string::parse("%=1"));
    std::string text;
    for (size_t i = 0; i < query_string::parameters_max; ++i) {
        text += "a=1&";
    }
    EXPECT_TRUE(query_string::parse(text));
    EXPECT_FALSE(query_string::parse(text + "b=2"));
}

} // namespace http
