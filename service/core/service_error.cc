#include "service/core/service_error.hh"

#include <array>
#include <cassert>
#include <utility>

#include "service/core/json_text.hh"
#include "service/core/time_text.hh"
#include "service/core/xml_text.hh"

namespace service {
namespace {

struct code_row {
    service_code code;
    std::string_view name;
    unsigned status;
    std::string_view message;
};

using enum service_code;

constexpr std::array code_rows{
    code_row{account_is_disabled, "AccountIsDisabled", 403, "The specified account is disabled."},
    code_row{atom_format_not_supported, "AtomFormatNotSupported", 415, "Atom format is not supported."},
    code_row{authentication_failed, "AuthenticationFailed", 403,
             "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly "
             "including the signature."},
    code_row{authorization_failure, "AuthorizationFailure", 403, "This request is not authorized to perform this operation."},
    code_row{authorization_permission_mismatch, "AuthorizationPermissionMismatch", 403,
             "This request is not authorized to perform this operation using this permission."},
    code_row{authorization_protocol_mismatch, "AuthorizationProtocolMismatch", 403,
             "This request is not authorized to perform this operation using this protocol."},
    code_row{authorization_resource_type_mismatch, "AuthorizationResourceTypeMismatch", 403,
             "This request is not authorized to perform this operation using this resource type."},
    code_row{authorization_service_mismatch, "AuthorizationServiceMismatch", 403,
             "This request is not authorized to perform this operation using this service."},
    code_row{authorization_source_ip_mismatch, "AuthorizationSourceIPMismatch", 403,
             "This request is not authorized to perform this operation using this source IP."},
    code_row{commands_in_batch_act_on_different_partitions, "CommandsInBatchActOnDifferentPartitions", 400,
             "All commands in a batch must operate on same entity group."},
    code_row{condition_not_met, "ConditionNotMet", 412, "The condition specified using HTTP conditional header(s) is not met."},
    code_row{cors_preflight_failure, "CorsPreflightFailure", 403, "CORS not enabled or no matching rule found for this request."},
    code_row{duplicate_properties_specified, "DuplicatePropertiesSpecified", 400, "A property is specified more than one time."},
    code_row{entity_already_exists, "EntityAlreadyExists", 409, "The specified entity already exists."},
    code_row{entity_not_found, "EntityNotFound", 404, "The specified entity does not exist."},
    code_row{entity_too_large, "EntityTooLarge", 400, "The entity is larger than the maximum size permitted."},
    code_row{host_information_not_present, "HostInformationNotPresent", 400,
             "The required host information is not present in the request. You must send a non-empty Host header or include "
             "the absolute URI in the request line."},
    code_row{insufficient_account_permissions, "InsufficientAccountPermissions", 403,
             "The account being accessed does not have sufficient permissions to execute this operation."},
    code_row{internal_error, "InternalError", 500, "Server encountered an internal error. Please try again after some time."},
    code_row{invalid_authentication_info, "InvalidAuthenticationInfo", 400,
             "Authentication information is not given in the correct format. Check the value of Authorization header."},
    code_row{invalid_duplicate_row, "InvalidDuplicateRow", 400,
             "The batch request contains multiple changes with same row key. An entity can appear only once in a batch "
             "request."},
    code_row{invalid_header_value, "InvalidHeaderValue", 400,
             "The value for one of the HTTP headers is not in the correct format."},
    code_row{invalid_input, "InvalidInput", 400, "One of the request inputs is not valid."},
    code_row{invalid_query_parameter_value, "InvalidQueryParameterValue", 400,
             "Value for one of the query parameters specified in the request URI is invalid."},
    // The misspelling is the production service's.
    code_row{invalid_resource_name, "InvalidResourceName", 400, "The specifed resource name contains invalid characters."},
    code_row{invalid_uri, "InvalidUri", 400, "The requested URI does not represent any resource on the server."},
    code_row{invalid_value_type, "InvalidValueType", 400, "The value specified is not valid for the type of the property."},
    code_row{invalid_xml_document, "InvalidXmlDocument", 400, "XML specified is not syntactically valid."},
    code_row{invalid_xml_node_value, "InvalidXmlNodeValue", 400,
             "The value for one of the XML nodes is not in the correct format."},
    code_row{json_format_not_supported, "JsonFormatNotSupported", 415, "JSON format is not supported."},
    code_row{md5_mismatch, "Md5Mismatch", 400,
             "The MD5 value specified in the request did not match with the MD5 value calculated by the server."},
    code_row{method_not_allowed, "MethodNotAllowed", 405, "The requested method is not allowed on the specified resource."},
    code_row{missing_content_length_header, "MissingContentLengthHeader", 411, "The Content-Length header was not specified."},
    code_row{missing_required_header, "MissingRequiredHeader", 400,
             "An HTTP header that's mandatory for this request is not specified."},
    code_row{missing_required_query_parameter, "MissingRequiredQueryParameter", 400,
             "A query parameter that's mandatory for this request is not specified."},
    code_row{missing_required_xml_node, "MissingRequiredXmlNode", 400,
             "A required XML node was not specified in the request body."},
    code_row{no_authentication_information, "NoAuthenticationInformation", 401,
             "Server failed to authenticate the request. Please refer to the information in the www-authenticate header."},
    code_row{not_implemented, "NotImplemented", 501, "The requested operation is not implemented on the specified resource."},
    code_row{operation_timed_out, "OperationTimedOut", 500, "The operation could not be completed within the permitted time."},
    code_row{out_of_range_input, "OutOfRangeInput", 400, "One of the request inputs is out of range."},
    code_row{out_of_range_query_parameter_value, "OutOfRangeQueryParameterValue", 400,
             "One of the query parameters specified in the request URI is outside the permissible range."},
    code_row{properties_need_value, "PropertiesNeedValue", 400, "The values are not specified for all properties in the entity."},
    code_row{property_name_invalid, "PropertyNameInvalid", 400, "The property name is invalid."},
    code_row{property_name_too_long, "PropertyNameTooLong", 400, "The property name exceeds the maximum allowed length (255)."},
    code_row{property_value_too_large, "PropertyValueTooLarge", 400,
             "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 "
             "encoded and the maximum number of characters should be 32K or less."},
    code_row{request_body_too_large, "RequestBodyTooLarge", 413,
             "The request body is too large and exceeds the maximum permissible limit."},
    code_row{request_url_failed_to_parse, "RequestUrlFailedToParse", 400, "The url in the request could not be parsed."},
    code_row{resource_not_found, "ResourceNotFound", 404, "The specified resource does not exist."},
    code_row{server_busy, "ServerBusy", 503, "The server is currently unable to receive requests. Please retry your request."},
    code_row{table_already_exists, "TableAlreadyExists", 409, "The table specified already exists."},
    code_row{table_being_deleted, "TableBeingDeleted", 409, "The specified table is being deleted. Try operation later."},
    code_row{table_not_found, "TableNotFound", 404, "The table specified does not exist."},
    code_row{too_many_properties, "TooManyProperties", 400,
             "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. "
             "Each entity also has 3 system properties."},
    code_row{unsupported_media_type, "UnsupportedMediaType", 415, "The content media type is not supported."},
    code_row{unsupported_xml_node, "UnsupportedXmlNode", 400,
             "One of the XML nodes specified in the request body is not supported."},
    code_row{update_condition_not_satisfied, "UpdateConditionNotSatisfied", 412,
             "The update condition specified in the request was not satisfied."},
    code_row{x_method_incorrect_count, "XMethodIncorrectCount", 400, "More than one X-HTTP-Method is specified."},
    code_row{x_method_incorrect_value, "XMethodIncorrectValue", 400, "The specified X-HTTP-Method is invalid."},
    code_row{x_method_not_using_post, "XMethodNotUsingPost", 400,
             "The request uses X-HTTP-Method with an HTTP verb other than POST."},
};

constexpr bool rows_follow_the_enumeration() {
    for (size_t i = 0; i < code_rows.size(); ++i) {
        if (std::to_underlying(code_rows[i].code) != i) {
            return false;
        }
    }
    return std::to_underlying(x_method_not_using_post) + size_t{1} == code_rows.size();
}
static_assert(rows_follow_the_enumeration());

const code_row& row_of(service_code code) {
    assert(std::to_underlying(code) < code_rows.size());
    return code_rows[std::to_underlying(code)];
}

} // namespace

std::string_view name(service_code code) {
    return row_of(code).name;
}

unsigned status(service_code code) {
    return row_of(code).status;
}

std::string_view default_message(service_code code) {
    return row_of(code).message;
}

std::string_view reason_phrase(unsigned status) {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Request Entity Too Large";
    case 415: return "Unsupported Media Type";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Internal Server Error";
    }
}

service_error to_service_error(const base::error& e) {
    switch (e.code) {
    // The machine: clients retry 5xx, and a person needs the detail.
    case base::errc::io_error:
    case base::errc::corrupt:
    case base::errc::newer_format:
    case base::errc::log_failed: return {internal_error, e.detail};
    case base::errc::out_of_space:
    case base::errc::busy:
    case base::errc::shutting_down: return {server_busy, e.detail};
    case base::errc::timed_out: return {operation_timed_out};
    // What was asked.
    case base::errc::invalid_argument:
    case base::errc::too_many_tables:
    case base::errc::point_expired:
    case base::errc::point_in_future:
    case base::errc::too_many_series:
    case base::errc::too_many_families: return {invalid_input, e.detail};
    case base::errc::not_implemented: return {not_implemented};
    case base::errc::unauthorized: return {authentication_failed};
    // Tables.
    case base::errc::table_not_found: return {table_not_found};
    case base::errc::table_exists: return {table_already_exists};
    case base::errc::table_name_length:
        return {out_of_range_input, "The specified resource name length is not within the permissible limits."};
    case base::errc::table_name_invalid: return {invalid_resource_name};
    case base::errc::table_name_reserved: return {invalid_input};
    // Entities.
    case base::errc::entity_not_found: return {resource_not_found};
    case base::errc::entity_exists: return {entity_already_exists};
    case base::errc::condition_not_met: return {update_condition_not_satisfied};
    case base::errc::entity_too_large: return {entity_too_large};
    case base::errc::too_many_properties: return {too_many_properties};
    case base::errc::property_name_invalid: return {property_name_invalid};
    case base::errc::property_name_too_long: return {property_name_too_long};
    case base::errc::property_value_too_large:
    case base::errc::key_too_long: return {property_value_too_large};
    case base::errc::key_invalid:
    case base::errc::value_out_of_range: return {out_of_range_input};
    // Transactions.
    case base::errc::transaction_empty: return {invalid_input};
    case base::errc::transaction_too_long:
        return {invalid_input, "The batch request operation exceeds the maximum 100 changes per change set."};
    case base::errc::transaction_too_large: return {request_body_too_large};
    case base::errc::transaction_partitions: return {commands_in_batch_act_on_different_partitions};
    case base::errc::transaction_duplicate_row: return {invalid_duplicate_row};
    }
    return {internal_error, e.detail};
}

void append_json_error(std::string& out, const service_error& e, const error_stamp& stamp, std::string_view prefix) {
    text_sink sink(out);
    sink.put(R"({"odata.error":{"code":")");
    sink.put(name(e.code));
    sink.put(R"(","message":{"lang":"en-US","value":")");
    sink.put(prefix);
    put_json_text(sink, e.text());
    sink.put("\\nRequestId:");
    put_json_text(sink, stamp.request_id);
    sink.put("\\nTime:");
    put_time(sink, stamp.time, fraction::seven);
    sink.put(R"("}}})");
}

void append_xml_error(std::string& out, const service_error& e, const error_stamp& stamp) {
    text_sink sink(out);
    sink.put(R"(<?xml version="1.0" encoding="utf-8"?>)"
             R"(<m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>)");
    sink.put(name(e.code));
    sink.put(R"(</m:code><m:message xml:lang="en-US">)");
    put_xml_text(sink, e.text());
    sink.put("\nRequestId:");
    put_xml_text(sink, stamp.request_id);
    sink.put("\nTime:");
    put_time(sink, stamp.time, fraction::seven);
    sink.put("</m:message></m:error>");
}

} // namespace service
