#include "cli/server_address.hh"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cli {
namespace {

using base::errc;
using base::fail;

std::unexpected<base::error> bad_server() {
    return fail(errc::invalid_argument, "a server is written http://HOST:PORT or https://HOST:PORT, an IPv6 address as [::1]");
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
    const bool has_it = text.starts_with(prefix);
    text.remove_prefix(has_it ? prefix.size() : 0);
    return has_it;
}

// Takes the host off the front; what is left is empty or begins with a colon.
base::expected<std::string> take_host(std::string_view& text) {
    const bool has_brackets = take_prefix(text, "[");
    const auto end = has_brackets ? text.find(']') : std::min(text.find(':'), text.size());
    const auto host = text.substr(0, end);
    if (end == text.npos || host.empty() || host.find_first_of(" @?#[]") != host.npos) {
        return bad_server();
    }
    text.remove_prefix(has_brackets ? end + 1 : end);
    if (text.find(':', 1) != text.npos) {
        return bad_server(); // an address without brackets
    }
    return std::string(host);
}

base::expected<uint16_t> parse_port(std::string_view digits) {
    uint16_t port = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (status != std::errc() || end != digits.data() + digits.size() || port == 0) {
        return fail(errc::invalid_argument, fmt::format("'{}' is not a port", digits));
    }
    return port;
}

} // namespace

base::expected<server_address> parse_server(std::string_view text) {
    server_address server;
    server.is_secure = take_prefix(text, "https://");
    if (!server.is_secure && !take_prefix(text, "http://") && text.contains("://")) {
        return bad_server();
    }
    text = text.substr(0, text.find('/'));
    auto host = take_host(text);
    if (!host) {
        return std::unexpected(host.error());
    }
    server.host = std::move(*host);
    if (text.empty()) {
        return server;
    }
    if (text.front() != ':') {
        return bad_server();
    }
    return parse_port(text.substr(1)).transform([&](uint16_t port) {
        server.port = port;
        return server;
    });
}

std::string to_string(const server_address& server) {
    return fmt::format(fmt::runtime(server.host.contains(':') ? "[{}]:{}" : "{}:{}"), server.host, server.port);
}

} // namespace cli
