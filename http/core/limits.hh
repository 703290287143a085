// Every maximum of a request's head and framing. Bodies are bounded by whoever reads them.
#pragma once

#include <cstddef>

namespace http {

struct parse_limits {
    // Method, target and version. Filters and continuation tokens travel in the query, and keys of 1 KiB grow sixfold when
    // percent-encoded; real clients stay under 32 KiB. Over it: 414.
    size_t request_line_bytes_max = 64 * 1024;
    // All header lines together. A head that arrives in pieces is held contiguously, so line and block together must stay at
    // or under 128 KiB. Also what chunk extensions and trailers may take beyond their share of the body. Over it: 431.
    size_t header_block_bytes_max = 64 * 1024;
    // Azure clients send about 15. Lookups are linear, so this also bounds their cost. Over it: 431.
    size_t header_fields_max = 128;
};

// What chunk sizes and extensions may take for each byte of body: one-byte chunks, the worst honest case, take 5. It keeps
// a small body from being an endless stream of extensions.
constexpr unsigned framing_bytes_per_body_byte = 8;
// Longest verb anybody registered is 17 characters; over this one: 501.
constexpr size_t method_bytes_max = 32;
// Empty lines tolerated before a request line, for clients that end a body with a stray CRLF.
constexpr size_t empty_lines_max = 4;

} // namespace http
