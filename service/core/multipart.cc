#include "service/core/multipart.hh"

#include "http/core/request_head.hh"
#include "service/core/limits.hh"
#include "service/core/mime.hh"

namespace service {
namespace {

using http::equal_ignoring_case;

struct part {
    std::string_view content_type;
    std::string_view content;
};

// The MIME headers of a part apart from what they describe.
std::optional<part> open_part(std::string_view text) {
    part opened;
    auto rest = without_blank_lines(text);
    const bool is_valid = take_headers(rest, [&](const mime_header& header) {
        if (equal_ignoring_case(header.name, "Content-Type")) {
            opened.content_type = header.value;
        }
    });
    if (!is_valid || opened.content_type.empty()) {
        return std::nullopt;
    }
    opened.content = rest;
    return opened;
}

void store_header(sub_request& request, const mime_header& header) {
    static constexpr std::pair<std::string_view, std::optional<std::string_view> sub_request::*> wanted[] = {
        {"Accept", &sub_request::accept},
        {"Content-ID", &sub_request::content_id},
        {"Content-Type", &sub_request::content_type},
        {"If-Match", &sub_request::if_match},
        {"If-None-Match", &sub_request::if_none_match},
        {"Prefer", &sub_request::prefer},
    };
    for (const auto& [name, field] : wanted) {
        if (equal_ignoring_case(header.name, name)) {
            request.*field = header.value;
            return;
        }
    }
    if (equal_ignoring_case(header.name, "X-HTTP-Method")) {
        request.x_http_method.push_back(header.value);
    }
}

// The target may hold blanks that a client forgot to escape: it ends at the last one.
bool parse_request_line(std::string_view line, sub_request& request) {
    const size_t first = line.find(' ');
    const size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == 0 || last == first || !line.substr(last + 1).starts_with("HTTP/1.")) {
        return false;
    }
    request.method = line.substr(0, first);
    request.target = line.substr(first + 1, last - first - 1);
    return true;
}

outcome<sub_request> parse_sub_request(const part& opened) {
    const auto type = opened.content_type.substr(0, opened.content_type.find(';'));
    if (!equal_ignoring_case(type, "application/http")) {
        return refuse(service_code::invalid_input);
    }
    sub_request request;
    auto rest = without_blank_lines(opened.content);
    if (!parse_request_line(take_line(rest), request) ||
        !take_headers(rest, [&](const mime_header& header) { store_header(request, header); })) {
        return refuse(service_code::invalid_input);
    }
    request.body = without_blank_lines(rest);
    return request;
}

outcome<batch_request> parse_changeset(std::string_view text, std::string_view boundary) {
    batch_request batch{.kind = batch_kind::changeset, .operations = {}};
    part_cursor parts(text, boundary);
    while (const auto found = parts.next()) {
        const auto opened = open_part(*found);
        if (!opened) {
            return refuse(service_code::invalid_input);
        }
        auto request = parse_sub_request(*opened);
        if (!request || request->method == "GET") {
            return refuse(service_code::invalid_input);
        }
        batch.operations.push_back(*std::move(request));
        if (batch.operations.size() > batch_operations_max) {
            return batch;
        }
    }
    if (!parts.is_closed() || batch.operations.empty()) {
        return refuse(service_code::invalid_input);
    }
    return batch;
}

outcome<batch_request> parse_query(const part& opened) {
    auto request = parse_sub_request(opened);
    if (!request || request->method != "GET") {
        return refuse(service_code::invalid_input);
    }
    batch_request batch{.kind = batch_kind::query, .operations = {}};
    batch.operations.push_back(*std::move(request));
    return batch;
}

} // namespace

outcome<batch_request> parse_batch(std::string_view content_type, std::string_view body) {
    if (body.size() > request_body_bytes_max) {
        return refuse(service_code::request_body_too_large);
    }
    const auto boundary = boundary_of(content_type);
    if (!boundary) {
        return refuse(service_code::invalid_input);
    }
    part_cursor parts(body, *boundary);
    const auto only = parts.next();
    if (!only || parts.next()) {
        return refuse(service_code::invalid_input);
    }
    const auto opened = open_part(*only);
    if (!opened) {
        return refuse(service_code::invalid_input);
    }
    if (const auto changeset = boundary_of(opened->content_type)) {
        return parse_changeset(opened->content, *changeset);
    }
    return parse_query(*opened);
}

} // namespace service
