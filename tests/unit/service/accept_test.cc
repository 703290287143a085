#include "service/core/accept.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;
using level = metadata_level;

// T11, T37, T39
TEST(accept, the_level_comes_from_accept) {
    const struct {
        std::string_view accept;
        metadata_level wanted;
    } cases[] = {
        {"application/json;odata=minimalmetadata", level::minimal},
        {"application/json;odata=nometadata", level::none},
        {"application/json;odata=fullmetadata", level::full},
        {"application/json; odata=fullmetadata", level::full},
        {"application/json ; odata=nometadata ; charset=utf-8", level::none},
        {"Application/JSON;OData=NoMetadata", level::none},
        {"application/json;streaming=true;odata=fullmetadata;q=0.5", level::full},
        {"application/json", level::minimal},
        {"application/json;charset=utf-8", level::minimal},
        {"application/atom+xml,application/json;odata=nometadata", level::none},
        {"*/*, application/json;odata=nometadata", level::none},
        {"application/json;odata=verbose,application/json;odata=nometadata", level::none},
        {"*/*", level::minimal},
        {"application/*", level::minimal},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", level::minimal},
        {"", level::minimal},
        {" , ", level::minimal},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(negotiate(c.accept, std::nullopt), c.wanted) << c.accept;
    }
    EXPECT_EQ(negotiate(std::nullopt, std::nullopt), level::minimal);
}

// T11
TEST(accept, format_wins_over_accept) {
    EXPECT_EQ(negotiate("application/json;odata=fullmetadata", "application/json;odata=nometadata"), level::none);
    EXPECT_EQ(negotiate("application/atom+xml", "json"), level::minimal);
    EXPECT_EQ(negotiate("application/json;odata=fullmetadata", ""), level::full);
    EXPECT_EQ(negotiate("application/json", "atom").error().code, service_code::atom_format_not_supported);
}

// T40
TEST(accept, atom_and_xml_alone_are_not_supported) {
    for (auto accept : {"application/atom+xml", "application/xml", "application/atom+xml,application/xml", "text/xml",
                        "application/atom+xml;type=entry"}) {
        const auto found = negotiate(accept, std::nullopt);
        ASSERT_FALSE(found) << accept;
        EXPECT_EQ(found.error().code, service_code::atom_format_not_supported);
        EXPECT_EQ(found.error().text(), "Atom format is not supported.");
    }
    EXPECT_EQ(negotiate("application/json;odata=verbose", std::nullopt).error().code, service_code::json_format_not_supported);
}

// T37
TEST(accept, the_content_type_names_level_streaming_and_charset) {
    EXPECT_EQ(content_type_of(level::none), "application/json;odata=nometadata;streaming=true;charset=utf-8");
    EXPECT_EQ(content_type_of(level::minimal), "application/json;odata=minimalmetadata;streaming=true;charset=utf-8");
    EXPECT_EQ(content_type_of(level::full), "application/json;odata=fullmetadata;streaming=true;charset=utf-8");
}

// T118
TEST(accept, errors_are_json_except_where_xml_is_expected) {
    const auto failed = service_code::authentication_failed;
    const auto missing = service_code::table_not_found;
    EXPECT_EQ(error_format(call_face::odata, missing, std::nullopt, std::nullopt), body_format::json);
    EXPECT_EQ(error_format(call_face::odata, missing, "*/*", std::nullopt), body_format::json);
    EXPECT_EQ(error_format(call_face::odata, failed, "application/json;odata=minimalmetadata", std::nullopt), body_format::json);
    EXPECT_EQ(error_format(call_face::odata, failed, "*/*, application/json", std::nullopt), body_format::json);
    EXPECT_EQ(error_format(call_face::odata, failed, "*/*", "application/json;odata=nometadata"), body_format::json);
    EXPECT_EQ(error_format(call_face::odata, failed, "*/*", std::nullopt), body_format::xml);
    EXPECT_EQ(error_format(call_face::odata, failed, std::nullopt, std::nullopt), body_format::xml);
    EXPECT_EQ(error_format(call_face::xml, missing, "application/json", std::nullopt), body_format::xml);
}

TEST(accept, bodies_are_json_with_any_parameters) {
    for (auto type : {"application/json", "application/json;odata=nometadata", "application/json; odata=verbose",
                      "Application/Json ;charset=utf-8", ""}) {
        EXPECT_TRUE(check_content_type(type)) << type;
    }
    EXPECT_TRUE(check_content_type(std::nullopt));
    EXPECT_EQ(check_content_type("application/atom+xml").error().code, service_code::atom_format_not_supported);
    EXPECT_EQ(check_content_type("text/plain").error().code, service_code::unsupported_media_type);
    EXPECT_EQ(check_content_type("application/jsonx").error().code, service_code::unsupported_media_type);
}

// T14, T25
TEST(accept, prefer_is_one_of_two_or_nothing) {
    EXPECT_EQ(parse_prefer("return-no-content"), preference::return_no_content);
    EXPECT_EQ(parse_prefer(" Return-Content"), preference::return_content);
    EXPECT_EQ(parse_prefer("respond-async, return-no-content"), preference::return_no_content);
    EXPECT_EQ(parse_prefer("return-nothing"), preference::none);
    EXPECT_EQ(parse_prefer(""), preference::none);
    EXPECT_EQ(parse_prefer(std::nullopt), preference::none);
    EXPECT_EQ(name(preference::return_no_content), "return-no-content");
}

} // namespace
