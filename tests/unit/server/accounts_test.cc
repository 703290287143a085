#include "server/core/accounts.hh"

#include <gtest/gtest.h>

namespace {

using server::account_keys;
using server::parse_accounts;

std::string mistake(const std::string& text) {
    const auto result = parse_accounts({text});
    return result ? "" : result.error().detail;
}

TEST(accounts, have_one_or_two_keys_in_base64) {
    const auto result = parse_accounts({"bob:a2V5", "eve:a2V5:b3RoZXI="});
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, (std::vector<account_keys>{{"bob", {"key"}}, {"eve", {"key", "other"}}}));
}

TEST(accounts, none_is_no_mistake) {
    const auto result = parse_accounts({});
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->empty());
}

TEST(accounts, without_a_key_or_with_three_are_refused) {
    for (const auto* wrong : {"", ":", "bob", "bob:", ":a2V5", "bob:a2V5:a2V5:a2V5"}) {
        EXPECT_EQ(mistake(wrong), "an account is written NAME:KEY, or NAME:KEY:KEY") << wrong;
    }
}

TEST(accounts, a_key_that_is_not_base64_is_named_by_its_account) {
    for (const auto* wrong : {"bob:key", "bob:a2V5:%", "bob::a2V5"}) {
        EXPECT_EQ(mistake(wrong), "account bob: its key is not base64") << wrong;
    }
}

TEST(accounts, one_mistake_refuses_all) {
    EXPECT_FALSE(parse_accounts({"bob:a2V5", "eve"}));
}

TEST(accounts, the_first_is_known_by_its_name) {
    EXPECT_EQ(server::first_account({"bob:a2V5", "eve:a2V5"}), "bob");
}

} // namespace
