#include "server/core/policy_body.hh"

#include <gtest/gtest.h>

namespace {

using server::read_policy;

TEST(policy_body, what_is_left_away_is_not_bound) {
    const auto policy = read_policy("cpu", R"({"period":"1h","keep":"30d","max_bytes":null})");
    ASSERT_TRUE(policy) << policy.error().detail;
    EXPECT_EQ(policy->name, "cpu");
    EXPECT_EQ(policy->period, tables::period_kind::hour);
    EXPECT_EQ(policy->keep_ticks, 30 * 86'400 * base::ticks_per_second);
    EXPECT_EQ(policy->max_bytes, 0u);
}

TEST(policy_body, what_is_no_policy_is_refused) {
    for (const auto* body : {"", "[]", "{", R"({"kep":"1d"})", R"({"keep":1})", R"({"keep":"-1d"})", R"({"period":"2d"})",
                             R"({"max_bytes":-1})", R"({"max_bytes":18446744073709551616})"}) {
        EXPECT_FALSE(read_policy("cpu", body)) << body;
    }
}

TEST(policy_body, a_wrong_length_is_told_how_one_looks_and_nothing_of_json) {
    EXPECT_EQ(read_policy("cpu", R"({"keep":"5x"})").error().detail,
              "keep: '5x' is not a length of time like 45s, 90m, 12h, 30d or 4w");
    EXPECT_EQ(read_policy("cpu", R"({"period":"2d"})").error().detail, "period: '2d' is none of 1h, 1d, 7d, month");
}

TEST(policy_body, a_name_is_one_that_a_family_or_a_source_can_have) {
    EXPECT_TRUE(read_policy(std::string(255, 'n'), "{}"));
    EXPECT_FALSE(read_policy(std::string(256, 'n'), "{}"));
    EXPECT_FALSE(read_policy("\xff", "{}")) << "the list of all policies is JSON";
}

} // namespace
