// The head of one request, as views into the bytes it came in: nothing is decoded, folded or copied here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace http {

struct header_field {
    std::string_view name;  // as the peer spelled it
    std::string_view value; // without surrounding blanks
};

// Header names and most protocol words compare without regard to ASCII case.
bool equal_ignoring_case(std::string_view, std::string_view);

struct request_head {
    std::string_view method;    // any token, known to us or not
    std::string_view target;    // as sent
    std::string_view path;      // raw path of the target, never empty; of the URL's path where the target is a whole URL
    std::string_view query;     // raw text after the first '?', or empty
    unsigned version_minor = 1; // of HTTP/1.x
    std::span<const header_field> headers; // in order of arrival
    std::optional<uint64_t> content_length;
    bool is_chunked = false;
    bool keep_alive = true;
    bool expect_continue = false;

    // The first field of that name.
    std::optional<std::string_view> header(std::string_view name) const;
    size_t header_count(std::string_view name) const;
    bool has_body() const { return is_chunked || content_length.value_or(0) > 0; }
};

} // namespace http
