#include "service/core/precondition.hh"

#include <gtest/gtest.h>

#include "service/core/entity_printer.hh"

namespace {

using namespace service;
using kind = precondition::kind;

constexpr std::string_view etag = "W/\"datetime'2026-11-16T09%3A30%3A00.1234567Z'\"";
const base::tick etag_time = *base::parse_time("2026-11-16T09:30:00.1234567Z");

TEST(precondition, what_we_print_as_an_etag_is_recognised) {
    for (auto text : {"2026-11-16T09:30:00.1234567Z", "2026-11-16T09:30:00Z", "2026-11-16T09:30:00.5Z"}) {
        const auto time = *base::parse_time(text);
        const auto printed = service::text_of([&](text_sink& out) { put_etag(out, time); });
        EXPECT_EQ(parse_precondition(operation::replace_entity, printed, std::nullopt), (precondition{kind::exact, time}));
    }
}

TEST(precondition, star_means_any_version) {
    for (auto op : {operation::replace_entity, operation::merge_entity, operation::delete_entity}) {
        EXPECT_EQ(parse_precondition(op, "*", std::nullopt), (precondition{kind::any, {}}));
    }
}

TEST(precondition, colons_are_accepted_in_three_spellings) {
    for (auto text : {"W/\"datetime'2026-11-16T09%3a30%3a00.1234567Z'\"", "W/\"datetime'2026-11-16T09:30:00.1234567Z'\"",
                      "W/\"datetime'2026-11-16T09:30%3A00.1234567Z'\""}) {
        EXPECT_EQ(parse_precondition(operation::replace_entity, text, std::nullopt), (precondition{kind::exact, etag_time}))
            << text;
    }
}

// T66
TEST(precondition, a_well_formed_etag_of_nothing_matches_nothing) {
    for (auto text :
         {"W/\"\"", "W/\"x\"", "W/\"datetime'\"", "W/\"datetime''\"", "W/\"datetime'2026-11-16T09%3A30%3A00.1234567'\"",
          "W/\"datetime'2026-11-16T09%3A30%3A00.12345670Z'\"", "W/\"datetime'2026-11-16T11%3A30%3A00.1234567+02:00'\"",
          "W/\"datetime'2026-11-16'\"", "W/\"DateTime'2026-11-16T09%3A30%3A00.1234567Z'\""}) {
        EXPECT_EQ(parse_precondition(operation::replace_entity, text, std::nullopt), (precondition{kind::exact, no_timestamp}))
            << text;
    }
}

// T67
TEST(precondition, malformed_etags_are_invalid_input) {
    for (std::string text : {"", "x", "\"x\"", "W/x", "W/\"x", "W/\"", "W/", "w/\"x\"", "W/\"a\", W/\"b\"", "W/\"a\",\"b\"",
                             "*, *", " *", "W/\"a\"b"}) {
        const auto found = parse_precondition(operation::merge_entity, text, std::nullopt);
        ASSERT_FALSE(found) << text;
        EXPECT_EQ(found.error().code, service_code::invalid_input);
        EXPECT_EQ(found.error().text(), "The etag value '" + text +
                                            "' specified in one of the request headers is not valid. "
                                            "Please make sure only one etag value is specified and is valid.");
    }
}

// T70
TEST(precondition, a_delete_needs_one) {
    EXPECT_EQ(parse_precondition(operation::delete_entity, std::nullopt, std::nullopt).error().code, service_code::invalid_input);
    EXPECT_EQ(parse_precondition(operation::insert_or_replace_entity, std::nullopt, std::nullopt), precondition{});
}

TEST(precondition, if_none_match_is_refused_on_writes) {
    EXPECT_EQ(parse_precondition(operation::insert_or_merge_entity, std::nullopt, "*").error().code, service_code::invalid_input);
    EXPECT_EQ(parse_precondition(operation::delete_entity, "*", etag).error().code, service_code::invalid_input);
}

TEST(precondition, reads_and_inserts_ignore_both_headers) {
    for (auto op : {operation::get_entity, operation::insert_entity, operation::query_entities}) {
        EXPECT_EQ(parse_precondition(op, "garbage", "*"), precondition{});
    }
}

} // namespace
