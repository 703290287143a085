#include "service/core/continuation.hh"

#include <gtest/gtest.h>

namespace {

using service::service_code;

TEST(continuation, tokens_look_like_those_of_the_production_service) {
    EXPECT_EQ(service::to_token("pk801016e8"), "1!16!cGs4MDEwMTZlOA--");
    EXPECT_EQ(service::to_token("people"), "1!8!cGVvcGxl");
    EXPECT_EQ(service::to_token(""), "1!0!");
}

// T77, T78
TEST(continuation, tokens_are_ascii_without_blanks_and_come_back_as_the_key) {
    for (std::string key : {"", " ", "a b", "é😀", "\xef\xbf\xbf>>>~~~", "a+b=c&d", "'", "%2B"}) {
        const auto token = service::to_token(key);
        EXPECT_FALSE(token.empty());
        for (char c : token) {
            EXPECT_TRUE(c > ' ' && c < 0x7f && c != '+' && c != '/' && c != '=') << token;
        }
        EXPECT_EQ(service::parse_token(token), key);
    }
}

TEST(continuation, what_is_not_a_token_is_invalid_input) {
    for (auto token :
         {"", "1", "1!", "1!8", "1!8!", "2!8!cGVvcGxl", "1!7!cGVvcGxl", "1!9!cGVvcGxl", "1!-8!cGVvcGxl", "1! 8!cGVvcGxl",
          "1!8!cGVv*GxL-", "1!8!cGVvcGx!", "1!4!Iw==", "1!4!Iw--", "1!99999999999999999999!", "people", "1!4!_w--"}) {
        const auto key = service::parse_token(token);
        ASSERT_FALSE(key) << token;
        EXPECT_EQ(key.error().code, service_code::invalid_input);
    }
}

TEST(continuation, an_empty_row_token_counts_as_none) {
    using position = service::outcome<std::optional<service::entity_position>>;
    const auto token = service::to_token("p");
    EXPECT_EQ(service::parse_entity_position(std::nullopt, std::nullopt), position(std::nullopt));
    EXPECT_EQ(service::parse_entity_position("", ""), position(std::nullopt));
    EXPECT_EQ(service::parse_entity_position(token, std::nullopt), position(service::entity_position{"p", std::nullopt}));
    EXPECT_EQ(service::parse_entity_position(token, ""), position(service::entity_position{"p", std::nullopt}));
    EXPECT_EQ(service::parse_entity_position(token, service::to_token("")), position(service::entity_position{"p", ""}));
    EXPECT_EQ(service::parse_entity_position(service::to_token(""), service::to_token("r")),
              position(service::entity_position{"", "r"}));
    for (auto [partition, row] : {std::pair("", token.c_str()), std::pair(token.c_str(), "x"), std::pair("x", token.c_str())}) {
        const auto parsed = service::parse_entity_position(partition, row);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code, service_code::invalid_input);
    }
}

} // namespace
