#include "server/core/origin.hh"

#include <algorithm>
#include <string>

namespace server {
namespace {

// What distributions write beside localhost into /etc/hosts. No name server answers for them.
constexpr std::string_view loopback_names[] = {"localhost.localdomain", "localhost4", "localhost6", "ip6-localhost",
                                               "ip6-loopback"};

bool is_dotted_loopback(std::string_view host) {
    return host.starts_with("127.") && std::ranges::count(host, '.') == 3 && host.find_first_not_of("0123456789.") == host.npos;
}

bool is_same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view without_port(std::string_view authority) {
    return authority.substr(0, authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':'));
}

} // namespace

bool is_of_this_machine(std::string_view origin) {
    const auto scheme_end = origin.find("://");
    if (scheme_end == origin.npos) {
        return false; // "null" too
    }
    const auto host = without_port(origin.substr(scheme_end + 3));
    return host == "localhost" || host == "[::1]" || is_dotted_loopback(host);
}

bool is_host_of_this_machine(std::string_view host, std::string_view own_name) {
    auto name = without_port(host);
    if (name.starts_with('[')) {
        return true; // an address of IPv6; no name has brackets
    }
    if (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    if (name.empty()) {
        return false;
    }
    if (name.find_first_not_of("0123456789.") == name.npos) {
        return true; // no name ends in a number
    }
    const auto last_label = name.substr(name.rfind('.') + 1);
    return is_same_name(last_label, "localhost") || is_same_name(name, own_name) ||
           std::ranges::any_of(loopback_names, [name](std::string_view known) { return is_same_name(name, known); });
}

} // namespace server
