// Whose web page sends a request. A server without a token trusts this machine, and a browser on it runs pages of the whole
// world.
#pragma once

#include <string_view>

namespace server {

// Of an Origin header: a page that this machine itself serves. Names that only resolve to it are not enough, as anybody can have
// one.
bool is_of_this_machine(std::string_view origin);

} // namespace server
