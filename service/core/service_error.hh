// What the Table service says when it says no: a code of the wire, its status and its message, and the two body formats.
// Codes, statuses and texts are what official clients look at; several of them compare the text.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/ticks.hh"

namespace service {

enum class service_code : uint8_t {
    account_is_disabled,
    atom_format_not_supported,
    authentication_failed,
    authorization_failure,
    authorization_permission_mismatch,
    authorization_protocol_mismatch,
    authorization_resource_type_mismatch,
    authorization_service_mismatch,
    authorization_source_ip_mismatch,
    commands_in_batch_act_on_different_partitions,
    condition_not_met,
    cors_preflight_failure,
    duplicate_properties_specified,
    entity_already_exists,
    entity_not_found,
    entity_too_large,
    host_information_not_present,
    insufficient_account_permissions,
    internal_error,
    invalid_authentication_info,
    invalid_duplicate_row,
    invalid_header_value,
    invalid_input,
    invalid_query_parameter_value,
    invalid_resource_name,
    invalid_uri,
    invalid_value_type,
    invalid_xml_document,
    invalid_xml_node_value,
    json_format_not_supported,
    md5_mismatch,
    method_not_allowed,
    missing_content_length_header,
    missing_required_header,
    missing_required_query_parameter,
    missing_required_xml_node,
    no_authentication_information,
    not_implemented,
    operation_timed_out,
    out_of_range_input,
    out_of_range_query_parameter_value,
    properties_need_value,
    property_name_invalid,
    property_name_too_long,
    property_value_too_large,
    request_body_too_large,
    request_url_failed_to_parse,
    resource_not_found,
    server_busy,
    table_already_exists,
    table_being_deleted,
    table_not_found,
    too_many_properties,
    unsupported_media_type,
    unsupported_xml_node,
    update_condition_not_satisfied,
    x_method_incorrect_count,
    x_method_incorrect_value,
    x_method_not_using_post,
};

// "ResourceNotFound": the spelling of the wire.
std::string_view name(service_code);
unsigned status(service_code);
std::string_view default_message(service_code);
// "Not Found" for 404. Knows every status this service sends.
std::string_view reason_phrase(unsigned status);

struct service_error {
    service_code code;
    std::string message{}; // empty: the default of the code

    std::string_view text() const { return message.empty() ? default_message(code) : std::string_view(message); }
    bool operator==(const service_error&) const = default;
};

template <class T>
using outcome = std::expected<T, service_error>;

inline std::unexpected<service_error> refuse(service_code code, std::string message = {}) {
    return std::unexpected(service_error{code, std::move(message)});
}

// What the engine said, in the words of the wire. Its detail is passed on only where the wire has no fixed text.
service_error to_service_error(const base::error&);

// What every error body tells beside the error.
struct error_stamp {
    std::string_view request_id; // the GUID of x-ms-request-id
    base::tick time;
};

// {"odata.error":{...}}; `prefix` stands before the message ("3:" for the fourth operation of a transaction).
void append_json_error(std::string& out, const service_error&, const error_stamp&, std::string_view prefix = {});
// <m:error>...: for the XML calls, and for failed authentication of clients that do not name JSON.
void append_xml_error(std::string& out, const service_error&, const error_stamp&);

} // namespace service
