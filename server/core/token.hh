// The secret that clients of /v1 and /write present, in any of the spellings that are in use:
//
//   Authorization: Bearer SECRET
//   Authorization: Token SECRET                      InfluxDB 2 clients
//   Authorization: Basic base64(anything:SECRET)     InfluxDB 1 clients; a SECRET with a colon may be user and password together
//   ?u=anything&p=SECRET                             the same in the query
#pragma once

#include <optional>
#include <string_view>

namespace server {

// Takes the same time for every wrong secret of one length. Needs: `secret` is not empty.
bool presents_token(std::optional<std::string_view> authorization, std::string_view secret);

bool query_presents_token(std::string_view raw_query, std::string_view secret);

} // namespace server
