#include "service/core/cors.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

const std::vector<cors_rule> rules{
    {{"GET", "PUT"}, {"http://a.example", "http://b.example"}, {"x-ms-date", "x-ms-meta*"}, {"etag", "date"}, 60},
    {{"GET"}, {"*"}, {"*"}, {"*"}, 5},
};

std::string_view error_text(const preflight_request& request, std::span<const cors_rule> with = rules) {
    static std::string kept;
    const auto reply = answer_preflight(with, request);
    EXPECT_FALSE(reply);
    kept = reply ? "" : std::string(name(reply.error().code)) + ": " + std::string(reply.error().text());
    return kept;
}

// T128
TEST(cors, the_first_rule_that_fits_answers_a_preflight) {
    const auto reply = answer_preflight(rules, {"http://a.example", "PUT", "X-MS-Date, x-ms-META-name"});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->allow_origin, "http://a.example");
    EXPECT_EQ(reply->allow_methods, "PUT");
    EXPECT_EQ(reply->allow_headers, "X-MS-Date, x-ms-META-name");
    EXPECT_EQ(reply->max_age_seconds, 60U);
    // A header the first rule does not know leads to the second, which answers for everybody.
    const auto second = answer_preflight(rules, {"http://a.example", "GET", "authorization"});
    ASSERT_TRUE(second);
    EXPECT_EQ(second->allow_origin, "*");
    EXPECT_EQ(second->max_age_seconds, 5U);
    EXPECT_TRUE(answer_preflight(rules, {"http://a.example", "GET", std::nullopt}));
    EXPECT_TRUE(answer_preflight(rules, {"http://a.example", "GET", " , ,"}));
}

// T128
TEST(cors, a_miss_and_a_missing_header_have_their_errors) {
    const std::string_view miss = "CorsPreflightFailure: CORS not enabled or no matching rule found for this request.";
    EXPECT_EQ(error_text({"http://c.example", "PUT", std::nullopt}), miss);
    EXPECT_EQ(error_text({"HTTP://A.example", "PUT", std::nullopt}), miss);
    EXPECT_EQ(error_text({"http://a.example", "DELETE", std::nullopt}), miss);
    EXPECT_EQ(error_text({"http://a.example", "put", std::nullopt}), miss);
    EXPECT_EQ(error_text({"http://a.example", "PUT", "authorization"}), miss);
    EXPECT_EQ(error_text({"http://a.example", "PUT", "x-ms-date,x-ms-met"}), miss);
    EXPECT_EQ(error_text({"http://a.example", "GET", std::nullopt}, {}), miss);
    const std::string_view missing = "InvalidHeaderValue: A required CORS header is not present.";
    EXPECT_EQ(error_text({std::nullopt, "PUT", std::nullopt}), missing);
    EXPECT_EQ(error_text({"http://a.example", std::nullopt, std::nullopt}), missing);
    EXPECT_EQ(error_text({"", "PUT", std::nullopt}), missing);
}

TEST(cors, actual_requests_get_headers_and_are_never_blocked) {
    const auto exact = answer_actual(rules, "http://b.example", "PUT");
    EXPECT_EQ(exact.allow_origin, "http://b.example");
    EXPECT_EQ(exact.expose_headers, "etag,date");
    EXPECT_FALSE(exact.exposes_all);
    EXPECT_TRUE(exact.varies_by_origin);
    const auto anybody = answer_actual(rules, "http://c.example", "GET");
    EXPECT_EQ(anybody.allow_origin, "*");
    EXPECT_TRUE(anybody.exposes_all);
    EXPECT_FALSE(anybody.varies_by_origin);
    EXPECT_EQ(answer_actual(rules, "http://c.example", "PUT").allow_origin, "");
    EXPECT_TRUE(answer_actual(rules, std::nullopt, "GET").varies_by_origin);
    EXPECT_FALSE(answer_actual(rules, std::nullopt, "PUT").varies_by_origin);
    EXPECT_FALSE(answer_actual({}, std::nullopt, "GET").varies_by_origin);
}

} // namespace
