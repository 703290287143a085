// What clients of the Blob service sign; it is not what those of the Table service do.
//
//   VERB, Content-Encoding, Content-Language, Content-Length (nothing for 0), Content-MD5, Content-Type, Date (nothing beside
//   x-ms-date), If-Modified-Since, If-Match, If-None-Match, If-Unmodified-Since, Range: a line each
//   every x-ms- header, name in lower case and value, sorted: a line each
//   "/" account, the raw path, and every parameter, name in lower case and decoded values, sorted: a line each
#pragma once

#include <string>
#include <string_view>

#include "http/core/query_string.hh"
#include "http/core/request_head.hh"
#include "service/core/signature.hh"

namespace service {

std::string blob_string_to_sign(const http::request_head&, const http::query_string&, std::string_view account);

// AuthenticationFailed, InvalidAuthenticationInfo. `header` is Authorization; only SharedKey is known here.
outcome<void> authenticate_blob(std::string_view header, const http::request_head&, const http::query_string&,
                                const account_secrets&, const clock_rule&);

} // namespace service
