// Whose web page sends a request. A server without a token trusts this machine, and a browser on it runs pages of the whole
// world. Such a page can also have its own name lead to this machine, after it was loaded: then the browser takes the server for
// the page's own one and shows it every answer. What it cannot do is to send another Host than its name.
#pragma once

#include <string_view>

namespace server {

// Of an Origin header: a page that this machine itself serves. Names that only resolve to it are not enough, as anybody can have
// one.
bool is_of_this_machine(std::string_view origin);

// Of a Host header, with or without a port: an address, localhost, a name below localhost, or the machine's own name. Nobody else
// can have a page there.
bool is_host_of_this_machine(std::string_view host, std::string_view own_name);

} // namespace server
