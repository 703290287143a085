// The body of PUT /v1/retention/{name}: {"period":"1d","keep":"30d","max_bytes":1000000}, each of which may be left away.
#pragma once

#include <string>

#include "base/error.hh"
#include "tables/core/retention_policy.hh"

namespace server {

// As long as the name of a family or a source may be: what is about neither is a line of the catalog for nothing.
constexpr size_t policy_name_bytes_max = 255;

// invalid_argument, with a sentence that says what to send.
base::expected<tables::retention_policy> read_policy(std::string name, const std::string& body);

} // namespace server
