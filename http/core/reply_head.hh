// The head of a reply -> bytes. Date, Retry-After and the framing fields (Content-Length, Transfer-Encoding, Connection) are
// written from their own members; all others are the caller's and go in as they are.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace http {

struct reply_field {
    std::string_view name;
    std::string_view value; // a byte that would end the line is sent as a blank
};

inline constexpr reply_field json_type{"Content-Type", "application/json"};

// Borrows a list of fields for the length of one call: an array, a vector or {{"ETag", etag}, {"Allow", "GET"}}.
class reply_fields {
public:
    reply_fields() = default;
    reply_fields(std::initializer_list<reply_field> fields) : _fields(fields.begin(), fields.size()) {}
    reply_fields(std::span<const reply_field> fields) : _fields(fields) {}
    template <class Range>
        requires std::constructible_from<std::span<const reply_field>, const Range&>
    reply_fields(const Range& fields) : _fields(fields) {}

    auto begin() const { return _fields.begin(); }
    auto end() const { return _fields.end(); }

private:
    std::span<const reply_field> _fields;
};

enum class connection_field : uint8_t { none, close, keep_alive };

struct reply_head {
    unsigned status = 200;
    reply_fields fields;
    std::string_view date;                  // see http_date()
    std::optional<uint64_t> content_length; // written when set
    std::optional<unsigned> retry_after_seconds;
    bool is_chunked = false;
    connection_field connection = connection_field::none;
};

// True for statuses that never have a body: 1xx, 204, 304.
constexpr bool is_bodiless(unsigned status) {
    return status < 200 || status == 204 || status == 304;
}

// "Not Found" and so on; "Unknown" for a number nobody named.
std::string_view reason_phrase(unsigned status);

// At least the bytes write_reply_head() will need.
size_t reply_head_bytes_max(const reply_head&);
// Writes the head and the empty line after it; returns the end.
char* write_reply_head(const reply_head&, char* out);

// "Mon, 16 Nov 2026 04:30:00 GMT"
std::string http_date(int64_t unix_seconds);

} // namespace http
