#include "service/core/service_error.hh"

#include <gtest/gtest.h>

#include <set>

namespace {

using service::service_code;

const service::error_stamp stamp{"1bf4974c-7002-0058-06b8-b3e6ee000000", *base::parse_time("2020-11-05T21:12:43.35281Z")};

constexpr service_code last_code = service_code::x_method_not_using_post;

// T131
TEST(service_error, the_json_body_has_code_lang_request_id_and_time) {
    std::string out;
    service::append_json_error(out, {service_code::resource_not_found}, stamp);
    EXPECT_EQ(out, R"({"odata.error":{"code":"ResourceNotFound","message":{"lang":"en-US","value":)"
                   R"("The specified resource does not exist.\nRequestId:1bf4974c-7002-0058-06b8-b3e6ee000000\n)"
                   R"(Time:2020-11-05T21:12:43.3528100Z"}}})");
}

TEST(service_error, the_xml_body_has_the_same_three_lines) {
    std::string out;
    service::append_xml_error(out, {service_code::table_not_found}, stamp);
    EXPECT_EQ(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
                   "<m:error xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\"><m:code>TableNotFound"
                   "</m:code><m:message xml:lang=\"en-US\">The table specified does not exist.\n"
                   "RequestId:1bf4974c-7002-0058-06b8-b3e6ee000000\nTime:2020-11-05T21:12:43.3528100Z</m:message></m:error>");
}

TEST(service_error, bodies_escape_what_the_client_sent) {
    const service::service_error e{service_code::invalid_input, "Syntax error at position 3 in 'a\"<&\x01'."};
    std::string json;
    service::append_json_error(json, e, stamp, "3:");
    EXPECT_NE(json.find(R"("value":"3:Syntax error at position 3 in 'a\"<&\u0001'.\nRequestId)"), std::string::npos) << json;
    std::string xml;
    service::append_xml_error(xml, e, stamp);
    EXPECT_NE(xml.find("in &apos;a&quot;&lt;&amp;?&apos;."), std::string::npos) << xml;
}

TEST(service_error, every_code_has_a_name_a_message_and_a_status_with_a_phrase) {
    std::set<std::string_view> names;
    for (unsigned i = 0; i <= static_cast<unsigned>(last_code); ++i) {
        const auto code = static_cast<service_code>(i);
        EXPECT_TRUE(names.insert(service::name(code)).second) << service::name(code);
        EXPECT_FALSE(service::default_message(code).empty());
        EXPECT_GE(service::status(code), 400U);
        EXPECT_TRUE(service::status(code) == 500 || service::reason_phrase(service::status(code)) != "Internal Server Error");
    }
}

TEST(service_error, statuses_of_the_codes_clients_look_at) {
    const struct {
        service_code code;
        std::string_view name;
        unsigned status;
    } cases[] = {
        {service_code::table_already_exists, "TableAlreadyExists", 409},
        {service_code::entity_already_exists, "EntityAlreadyExists", 409},
        {service_code::update_condition_not_satisfied, "UpdateConditionNotSatisfied", 412},
        {service_code::authentication_failed, "AuthenticationFailed", 403},
        {service_code::no_authentication_information, "NoAuthenticationInformation", 401},
        {service_code::authorization_source_ip_mismatch, "AuthorizationSourceIPMismatch", 403},
        {service_code::atom_format_not_supported, "AtomFormatNotSupported", 415},
        {service_code::method_not_allowed, "MethodNotAllowed", 405},
        {service_code::missing_content_length_header, "MissingContentLengthHeader", 411},
        {service_code::request_body_too_large, "RequestBodyTooLarge", 413},
        {service_code::operation_timed_out, "OperationTimedOut", 500},
        {service_code::not_implemented, "NotImplemented", 501},
        {service_code::server_busy, "ServerBusy", 503},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(service::name(c.code), c.name);
        EXPECT_EQ(service::status(c.code), c.status) << c.name;
    }
}

// T16, T17, T18, T31, T108, T109
TEST(service_error, engine_errors_become_the_codes_of_the_wire) {
    const struct {
        base::errc from;
        service_code to;
        std::string_view text;
    } cases[] = {
        {base::errc::table_name_length, service_code::out_of_range_input,
         "The specified resource name length is not within the permissible limits."},
        {base::errc::table_name_invalid, service_code::invalid_resource_name,
         "The specifed resource name contains invalid characters."},
        {base::errc::table_name_reserved, service_code::invalid_input, "One of the request inputs is not valid."},
        {base::errc::table_exists, service_code::table_already_exists, "The table specified already exists."},
        {base::errc::entity_not_found, service_code::resource_not_found, "The specified resource does not exist."},
        {base::errc::key_too_long, service_code::property_value_too_large,
         service::default_message(service_code::property_value_too_large)},
        {base::errc::key_invalid, service_code::out_of_range_input, "One of the request inputs is out of range."},
        {base::errc::transaction_duplicate_row, service_code::invalid_duplicate_row,
         "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."},
        {base::errc::transaction_too_long, service_code::invalid_input,
         "The batch request operation exceeds the maximum 100 changes per change set."},
        {base::errc::transaction_partitions, service_code::commands_in_batch_act_on_different_partitions,
         "All commands in a batch must operate on same entity group."},
    };
    for (const auto& c : cases) {
        const auto e = service::to_service_error({c.from, "detail"});
        EXPECT_EQ(e.code, c.to) << base::name(c.from);
        EXPECT_EQ(e.text(), c.text) << base::name(c.from);
    }
}

TEST(service_error, only_errors_without_a_fixed_text_pass_the_detail_on) {
    EXPECT_EQ(service::to_service_error({base::errc::corrupt, "block 7 of cpu"}).text(), "block 7 of cpu");
    EXPECT_EQ(service::to_service_error({base::errc::busy, ""}).text(),
              "The server is currently unable to receive requests. Please retry your request.");
    EXPECT_EQ(service::to_service_error({base::errc::out_of_space, "disk full"}).code, service_code::server_busy);
}

} // namespace
