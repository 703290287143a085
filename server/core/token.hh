// The secret that clients of /v1 and /write present, in any of the three spellings that are in use:
//
//   Authorization: Bearer SECRET
//   Authorization: Token SECRET                      InfluxDB 2 clients
//   Authorization: Basic base64(anything:SECRET)     InfluxDB 1 clients
#pragma once

#include <optional>
#include <string_view>

namespace server {

// Takes the same time for every wrong secret of one length. Needs: `secret` is not empty.
bool presents_token(std::optional<std::string_view> authorization, std::string_view secret);

} // namespace server
