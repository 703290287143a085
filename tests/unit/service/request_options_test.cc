#include "service/core/request_options.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

outcome<query_options> parse(std::string_view raw) {
    return parse_query_options(*http::query_string::parse(raw));
}

service_code error_of(std::string_view raw) {
    const auto parsed = parse(raw);
    EXPECT_FALSE(parsed) << raw;
    return parsed ? service_code::internal_error : parsed.error().code;
}

// T10
TEST(request_options, names_and_values_are_form_data) {
    const auto options = parse("%24filter=PartitionKey+eq+%27a%27&%24select=a%2Cb&$top=5");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->filter, "PartitionKey eq 'a'");
    EXPECT_EQ(options->select.names().size(), 2U);
    EXPECT_EQ(options->rows_max, 5U);
}

TEST(request_options, nothing_asked_is_a_whole_page_of_everything) {
    const auto options = parse("");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->filter, "");
    EXPECT_TRUE(options->select.is_everything());
    EXPECT_EQ(options->rows_max, 1000U);
    EXPECT_FALSE(options->next);
    EXPECT_FALSE(options->next_table);
}

TEST(request_options, a_selection_is_utf_8) {
    EXPECT_EQ(parse("$select=a,%C3%A4")->select.names().size(), 2U);
    EXPECT_EQ(error_of("$select=a,%ff"), service_code::invalid_input);
}

// T12
TEST(request_options, unknown_plain_parameters_mean_nothing_and_the_first_of_a_name_wins) {
    const auto options = parse("api-version=x&tn=T&_=1&$top=3&$top=x&sv=2019-02-02&%24format=json");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->rows_max, 3U);
}

// T80
TEST(request_options, top_is_0_to_1000) {
    EXPECT_EQ(parse("$top=0")->rows_max, 0U);
    EXPECT_EQ(parse("$top=1000")->rows_max, 1000U);
    for (auto raw : {"$top=1001", "$top=-1", "$top=", "$top=x", "$top=1.5", "$top=%2B5", "$top=99999999999999999999"}) {
        EXPECT_EQ(error_of(raw), service_code::invalid_input) << raw;
    }
}

// T100
TEST(request_options, ordering_and_its_like_are_refused) {
    for (auto raw : {"$orderby=x", "$skip=1", "$count=true", "$inlinecount=allpages", "$expand=x"}) {
        EXPECT_EQ(error_of(raw), service_code::not_implemented) << raw;
    }
    EXPECT_EQ(error_of("$Filter=x"), service_code::invalid_input);
}

TEST(request_options, tokens_are_positions) {
    const auto options = parse("NextPartitionKey=1!4!YQ--&NextRowKey=1!0!&NextTableName=1!8!cGVvcGxl");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->next, (entity_position{"a", ""}));
    EXPECT_EQ(options->next_table, "people");
    for (auto raw : {"NextPartitionKey=a", "NextPartitionKey=1!4!YQ--&NextRowKey=a", "NextTableName=a", "NextRowKey=1!0!"}) {
        EXPECT_EQ(error_of(raw), service_code::invalid_input) << raw;
    }
}

TEST(request_options, timeouts_are_cut_to_30_seconds) {
    auto timeout = [](std::string_view raw) { return parse_timeout_seconds(*http::query_string::parse(raw)); };
    EXPECT_EQ(timeout(""), 30U);
    EXPECT_EQ(timeout("timeout=1"), 1U);
    EXPECT_EQ(timeout("timeout=31"), 30U);
    EXPECT_EQ(timeout("timeout=99999999999999999999"), 30U);
    for (auto raw : {"timeout=0", "timeout=-1", "timeout=", "timeout=x", "timeout=1s"}) {
        EXPECT_EQ(timeout(raw).error().code, service_code::invalid_query_parameter_value) << raw;
    }
}

TEST(request_options, versions_are_dates_known_to_us_or_not) {
    for (auto version : {"2009-04-14", "2019-02-02", "2020-12-06", "2099-01-01"}) {
        EXPECT_TRUE(check_version(version)) << version;
    }
    EXPECT_TRUE(check_version(std::nullopt));
    for (auto version : {"", "2009-04-13", "latest", "2019-2-2", "2019-02-02T00:00:00Z", "2019-13-01", "2019-02-02 "}) {
        EXPECT_EQ(check_version(version).error().code, service_code::invalid_header_value) << version;
    }
}

// T38
TEST(request_options, request_ids_are_echoed_when_short_and_visible) {
    EXPECT_TRUE(is_echoed("c9da6455-213d-42c9-9a79-3e9149a57833"));
    EXPECT_TRUE(is_echoed(std::string(1024, 'x')));
    EXPECT_FALSE(is_echoed(std::string(1025, 'x')));
    EXPECT_FALSE(is_echoed("a\x01"));
    EXPECT_FALSE(is_echoed("é"));
}

} // namespace
