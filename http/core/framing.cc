#include "http/core/framing.hh"

#include <algorithm>

namespace http {

static result<void> split_target(request_head& head) {
    auto rest = head.target;
    if (rest.contains('#')) {
        return refuse(400, "a fragment in the request target");
    }
    if (const auto scheme_end = rest.starts_with('/') ? rest.npos : rest.find("://"); scheme_end != rest.npos) {
        const auto authority = rest.substr(scheme_end + 3);
        rest = authority.substr(std::min(authority.find_first_of("/?"), authority.size()));
    }
    const auto mark = rest.find('?');
    head.path = rest.substr(0, mark);
    head.query = mark == rest.npos ? std::string_view() : rest.substr(mark + 1);
    if (head.path.empty()) {
        head.path = "/";
    }
    return {};
}

// Only the one coding that this server can undo, named once; anything else leaves the end of the body in doubt.
static result<void> check_transfer_encoding(const request_head& head, std::string_view value) {
    if (!head.is_chunked || !equal_ignoring_case(value, "chunked")) {
        return refuse(501, "transfer encoding other than chunked");
    }
    if (head.version_minor == 0) {
        return refuse(400, "transfer encoding in HTTP/1.0");
    }
    if (head.content_length) {
        return refuse(400, "both content length and transfer encoding");
    }
    return {};
}

result<void> complete_head(request_head& head) {
    size_t hosts_count = 0;
    size_t encodings_count = 0;
    for (const auto& [name, value] : head.headers) {
        if (equal_ignoring_case(name, "host")) {
            ++hosts_count;
        } else if (equal_ignoring_case(name, "expect")) {
            head.expect_continue = head.version_minor > 0 && head.has_body() && equal_ignoring_case(value, "100-continue");
        } else if (equal_ignoring_case(name, "transfer-encoding")) {
            ++encodings_count;
            if (auto checked = check_transfer_encoding(head, value); !checked) {
                return checked;
            }
        }
    }
    if (hosts_count > 1 || (hosts_count == 0 && head.version_minor > 0)) {
        return refuse(400, "exactly one Host header is needed");
    }
    if (encodings_count > 1) {
        return refuse(400, "more than one transfer encoding");
    }
    return split_target(head);
}

} // namespace http
