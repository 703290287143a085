#include "server/core/token.hh"

#include <gtest/gtest.h>

namespace {

using server::presents_token;

TEST(token, is_taken_in_all_three_spellings) {
    EXPECT_TRUE(presents_token("Bearer s3cret", "s3cret"));
    EXPECT_TRUE(presents_token("bearer   s3cret ", "s3cret"));
    EXPECT_TRUE(presents_token("Token s3cret", "s3cret"));
    EXPECT_TRUE(presents_token("Basic dXNlcjpzM2NyZXQ=", "s3cret")); // user:s3cret
}

TEST(token, anything_else_is_refused) {
    EXPECT_FALSE(presents_token({}, "s3cret"));
    for (auto wrong : {"", "Bearer", "Bearer ", "s3cret", "Bearer s3cre", "Bearer s3cretx", "Bearer S3CRET", "Digest s3cret",
                       "Basic s3cret", "Basic czNjcmV0", "Basic dXNlcjpzM2NyZX=", "Basic %%%"}) {
        EXPECT_FALSE(presents_token(wrong, "s3cret")) << wrong;
    }
}

TEST(token, user_and_password_may_stand_in_the_query) {
    EXPECT_TRUE(server::query_presents_token("db=x&u=me&p=s3cret", "s3cret"));
    EXPECT_TRUE(server::query_presents_token("p=s3%63ret", "s3cret"));
    EXPECT_TRUE(server::query_presents_token("u=me&p=s3cret", "me:s3cret"));
    for (auto wrong : {"", "u=s3cret", "p=", "p=s3cre", "P=s3cret", "u=me&p=me:s3cre", "p=%"}) {
        EXPECT_FALSE(server::query_presents_token(wrong, "s3cret")) << wrong;
    }
}

TEST(token, a_password_may_hold_a_colon) {
    EXPECT_TRUE(presents_token("Basic dTphOmI=", "a:b")); // u:a:b
}

} // namespace
