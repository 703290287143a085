// What the text of a head means for the connection: the parts of its target, where its body ends, what it expects.
#pragma once

#include "http/core/protocol_error.hh"
#include "http/core/request_head.hh"

namespace http {

// Fills in path, query and expect_continue from target and headers, and refuses what two readers of the same bytes
// could understand differently (RFC 9112, sections 3.2, 6.1 and 11.2). Expects content_length and is_chunked to be set.
result<void> complete_head(request_head&);

} // namespace http
