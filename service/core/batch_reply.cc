#include "service/core/batch_reply.hh"

#include "service/core/entity_printer.hh"

namespace service {
namespace {

constexpr std::string_view batch_boundary_head = "batchresponse_";
constexpr std::string_view changeset_boundary_head = "changesetresponse_";
constexpr std::string_view part_headers = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

void put_header(text_sink& out, std::string_view name, std::string_view value) {
    out.put(name);
    out.put(": ");
    out.put(value);
    out.put("\r\n");
}

void put_etag_header(text_sink& out, base::tick timestamp) {
    out.put("ETag: "); // JS looks for this spelling
    put_etag(out, timestamp);
    out.put("\r\n");
}

void put_delimiter(text_sink& out, std::string_view boundary, bool is_closing = false) {
    out.put("--");
    out.put(boundary);
    out.put(is_closing ? "--\r\n" : "\r\n");
}

void put_status_line(text_sink& out, unsigned status) {
    out.put("HTTP/1.1 ");
    out.put_number(status);
    out.put(' ');
    out.put(reason_phrase(status));
    out.put("\r\n");
}

// Two line ends follow the headers of an empty part, one line of JSON those of another.
void put_body(text_sink& out, std::string_view json) {
    out.put("\r\n");
    out.put(json);
    out.put("\r\n");
}

std::string joined(std::string_view head, std::string_view id) {
    return std::string(head).append(id);
}

// Failures found at the row itself; everything else is found before any row is looked at.
bool is_found_at_row(service_code code) {
    switch (code) {
    case service_code::resource_not_found:
    case service_code::update_condition_not_satisfied:
    case service_code::entity_already_exists:
    case service_code::property_value_too_large:
    case service_code::property_name_invalid:
    case service_code::property_name_too_long:
    case service_code::too_many_properties:
    case service_code::entity_too_large:
    case service_code::operation_timed_out:
    case service_code::server_busy:
    case service_code::internal_error: return true;
    default: return false;
    }
}

// Transactions have a text of their own for this one.
service_error in_batch_words(const service_error& e) {
    if (e.code == service_code::operation_timed_out && e.message.empty()) {
        return {e.code, "Operation could not be completed within the specified time."};
    }
    return e;
}

std::string error_json(const service_error& e, const error_stamp& stamp, std::string_view prefix) {
    std::string json;
    append_json_error(json, in_batch_words(e), stamp, prefix);
    return json;
}

} // namespace

std::string batch_content_type(std::string_view batch_id) {
    return joined("multipart/mixed; boundary=batchresponse_", batch_id);
}

std::string failure_prefix(service_code code, size_t index, size_t operations_count) {
    return operations_count > 1 || !is_found_at_row(code) ? std::to_string(index) + ':' : std::string();
}

changeset_reply::changeset_reply(std::string& out, std::string_view batch_id, std::string_view changeset_id)
    : _out(out), _batch_boundary(joined(batch_boundary_head, batch_id)),
      _changeset_boundary(joined(changeset_boundary_head, changeset_id)) {
    text_sink sink(_out);
    put_delimiter(sink, _batch_boundary);
    sink.put("Content-Type: multipart/mixed; boundary=");
    sink.put(_changeset_boundary);
    sink.put("\r\n\r\n");
}

void changeset_reply::begin_part(text_sink& out, unsigned status, std::optional<std::string_view> content_id,
                                 preference preferred) {
    put_delimiter(out, _changeset_boundary);
    out.put(part_headers);
    put_status_line(out, status);
    if (content_id) {
        put_header(out, "Content-ID", *content_id);
    }
    out.put("X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n");
    if (preferred != preference::none) {
        put_header(out, "Preference-Applied", name(preferred));
    }
}

void changeset_reply::add_insert(const insert_reply& reply, std::optional<std::string_view> content_id) {
    const bool has_content = reply.preferred != preference::return_no_content;
    text_sink out(_out);
    begin_part(out, has_content ? 201 : 204, content_id, reply.preferred);
    put_header(out, "DataServiceVersion", "3.0;");
    if (has_content) {
        put_header(out, "Content-Type", content_type_of(reply.level));
    }
    put_header(out, "Location", reply.location);
    if (!has_content) {
        put_header(out, "DataServiceId", reply.location);
    }
    put_etag_header(out, reply.timestamp);
    put_body(out, has_content ? reply.entity : std::string_view());
}

void changeset_reply::add_update(base::tick timestamp, std::optional<std::string_view> content_id) {
    text_sink out(_out);
    begin_part(out, 204, content_id, preference::none);
    put_header(out, "DataServiceVersion", "1.0;");
    put_etag_header(out, timestamp);
    put_body(out, {});
}

void changeset_reply::add_delete(std::optional<std::string_view> content_id) {
    text_sink out(_out);
    begin_part(out, 204, content_id, preference::none);
    put_header(out, "DataServiceVersion", "1.0;");
    put_body(out, {});
}

void changeset_reply::add_failure(const failure_reply& reply, std::optional<std::string_view> content_id) {
    const auto prefix = failure_prefix(reply.error.code, reply.index, reply.operations_count);
    text_sink out(_out);
    begin_part(out, status(reply.error.code), content_id, reply.preferred);
    put_header(out, "DataServiceVersion", "3.0;");
    put_header(out, "Content-Type", content_type_of(reply.level));
    put_body(out, error_json(reply.error, reply.stamp, prefix));
}

void changeset_reply::finish() {
    text_sink out(_out);
    put_delimiter(out, _changeset_boundary, true);
    put_delimiter(out, _batch_boundary, true);
}

namespace {

void put_query_part(text_sink& out, std::string_view batch_id, unsigned status, const query_reply& reply) {
    const auto boundary = joined(batch_boundary_head, batch_id);
    put_delimiter(out, boundary);
    out.put(part_headers);
    put_status_line(out, status);
    put_header(out, "DataServiceVersion", "3.0;");
    put_header(out, "Content-Type", content_type_of(reply.level));
    out.put("X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n");
    if (reply.timestamp) {
        put_etag_header(out, *reply.timestamp);
    }
    if (reply.next_partition_key) {
        put_header(out, "x-ms-continuation-NextPartitionKey", *reply.next_partition_key);
    }
    if (reply.next_row_key) {
        put_header(out, "x-ms-continuation-NextRowKey", *reply.next_row_key);
    }
    put_body(out, reply.json);
    put_delimiter(out, boundary, true);
}

} // namespace

void append_query_reply(std::string& out, std::string_view batch_id, const query_reply& reply) {
    text_sink sink(out);
    put_query_part(sink, batch_id, 200, reply);
}

void append_query_failure(std::string& out, std::string_view batch_id, const service_error& e, metadata_level level,
                          const error_stamp& stamp) {
    const auto json = error_json(e, stamp, {});
    text_sink sink(out);
    put_query_part(sink, batch_id, status(e.code), {.level = level, .json = json});
}

} // namespace service
