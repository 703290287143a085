// The XML of access policies and of the replication status.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/core/access_policy.hh"
#include "service/core/service_error.hh"

namespace service {

// The whole list of a table; an empty body is an empty list. InvalidXmlDocument: not that XML, more than five, an id that is
// missing, longer than 64 characters or there twice, a time or permission letter that is none.
outcome<std::vector<signed_identifier>> parse_acl(std::string_view xml);
// Times have seven digits; what is absent stays absent.
void append_acl(std::string& out, std::span<const signed_identifier>);

enum class replication_status : uint8_t { live, bootstrap, unavailable };
// `last_sync` is shown while live.
void append_stats(std::string& out, replication_status, base::tick last_sync);

} // namespace service
