#include "server/core/settings_check.hh"

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "server/core/accounts.hh"

namespace server {
namespace {

using base::errc;
using base::fail;

bool is_address(const std::string& text) {
    std::array<char, sizeof(in6_addr)> bytes;
    const auto without_scope = text.substr(0, text.find('%'));
    return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, without_scope.c_str(), bytes.data()) == 1;
}

base::expected<void> check_names(const settings& s) {
    if (!is_address(s.bind)) {
        return fail(errc::invalid_argument, fmt::format("bind = {} is not an address; write 127.0.0.1, 0.0.0.0 or ::1", s.bind));
    }
    if (s.tls_cert.empty() != s.tls_key.empty()) {
        return fail(errc::invalid_argument, "tls-cert and tls-key go together; one of them is missing");
    }
    constexpr std::array<std::string_view, 5> levels{"error", "warn", "info", "debug", "trace"};
    if (std::ranges::find(levels, s.log_level) == levels.end()) {
        return fail(errc::invalid_argument,
                    fmt::format("log-level '{}' is none of error, warn, info, debug, trace", s.log_level));
    }
    return parse_accounts(s.accounts).transform([](const auto&) {});
}

// What others can reach asks for something that only friends know.
base::expected<void> check_reachable(const settings& s) {
    const auto reachable = fmt::format("bind = {} can be reached from outside this machine", s.bind);
    const bool has_accounts = s.table_port != 0 || s.blob_port != 0;
    if (has_accounts && !s.allow_development_key && std::ranges::find(s.accounts, development_account) != s.accounts.end()) {
        return fail(errc::invalid_argument, reachable + ", and the key of devstoreaccount1 is public: set account = NAME:KEY, or "
                                                        "allow-development-key = true");
    }
    if (s.token.empty()) {
        return fail(errc::invalid_argument, reachable + ": set token = SECRET as well");
    }
    const bool has_lines = s.line_port != 0 || s.json_port != 0 || s.graphite_port != 0 || s.syslog_port != 0;
    if (has_lines && s.tls_cert.empty() && !s.allow_plain) {
        return fail(errc::invalid_argument, reachable +
                                                ", and the TCP ports for lines ask for no token: set tls-cert and tls-key, or "
                                                "allow-plain = true, or turn them off");
    }
    return {};
}

} // namespace

base::expected<void> check_settings(const settings& s) {
    return check_names(s).and_then([&] { return is_loopback(s.bind) ? base::expected<void>() : check_reachable(s); });
}

base::expected<void> check_reload(const settings& running, settings now) {
    auto next = running;
    next.accounts = std::move(now.accounts);
    next.allow_development_key = now.allow_development_key;
    next.token = std::move(now.token);
    return check_settings(next);
}

bool is_loopback(const std::string& address) {
    return address == "::1" || address.starts_with("127.");
}

std::string authority_of(const std::string& bind, uint16_t port) {
    const std::string host = bind == "0.0.0.0" ? "127.0.0.1" : bind == "::" ? "::1" : bind;
    return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

} // namespace server
