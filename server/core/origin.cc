#include "server/core/origin.hh"

#include <algorithm>
#include <string>

namespace server {
namespace {

bool is_dotted_loopback(std::string_view host) {
    return host.starts_with("127.") && std::ranges::count(host, '.') == 3 && host.find_first_not_of("0123456789.") == host.npos;
}

} // namespace

bool is_of_this_machine(std::string_view origin) {
    const auto scheme_end = origin.find("://");
    if (scheme_end == origin.npos) {
        return false; // "null" too
    }
    const auto authority = origin.substr(scheme_end + 3);
    const auto host = authority.substr(0, authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':'));
    return host == "localhost" || host == "[::1]" || is_dotted_loopback(host);
}

} // namespace server
