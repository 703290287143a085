#include "http/core/reply_head.hh"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace http {

// Status line and framing fields with their numbers, with room to spare.
static constexpr size_t fixed_bytes_max = 256;
static constexpr size_t field_overhead_bytes = 4; // ": " and CRLF

std::string_view reason_phrase(unsigned status) {
    switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 507: return "Insufficient Storage";
    default: return "Unknown";
    }
}

size_t reply_head_bytes_max(const reply_head& head) {
    size_t bytes = fixed_bytes_max + head.date.size();
    for (const auto& [name, value] : head.fields) {
        bytes += name.size() + value.size() + field_overhead_bytes;
    }
    return bytes;
}

static char* put(char* out, std::string_view text) {
    return std::ranges::copy(text, out).out;
}

static char* put_number(char* out, uint64_t number) {
    return std::to_chars(out, out + 20, number).ptr;
}

// A value may carry what a client sent; it must not be able to start a line of its own.
static char* put_value(char* out, std::string_view value) {
    return std::ranges::transform(value, out, [](char c) { return c == '\r' || c == '\n' || c == '\0' ? ' ' : c; }).out;
}

char* write_reply_head(const reply_head& head, char* out) {
    assert(head.status >= 100 && head.status <= 999);
    assert(!(head.is_chunked && head.content_length));
    out = put(out, "HTTP/1.1 ");
    out = put_number(out, head.status);
    *out++ = ' ';
    out = put(out, reason_phrase(head.status));
    out = put(out, "\r\nDate: ");
    out = put(out, head.date);
    for (const auto& [name, value] : head.fields) {
        out = put(out, "\r\n");
        out = put(out, name);
        out = put(out, ": ");
        out = put_value(out, value);
    }
    if (head.content_length) {
        out = put(out, "\r\nContent-Length: ");
        out = put_number(out, *head.content_length);
    }
    if (head.retry_after_seconds) {
        out = put(out, "\r\nRetry-After: ");
        out = put_number(out, *head.retry_after_seconds);
    }
    if (head.is_chunked) {
        out = put(out, "\r\nTransfer-Encoding: chunked");
    }
    if (head.connection != connection_field::none) {
        out = put(out, head.connection == connection_field::close ? "\r\nConnection: close" : "\r\nConnection: keep-alive");
    }
    return put(out, "\r\n\r\n");
}

std::string http_date(int64_t unix_seconds) {
    static constexpr std::string_view weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::chrono::sys_seconds time{std::chrono::seconds(unix_seconds)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", weekdays[std::chrono::weekday(day).c_encoding()],
                       unsigned(date.day()), months[unsigned(date.month()) - 1], int(date.year()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count());
}

} // namespace http
