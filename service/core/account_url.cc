#include "service/core/account_url.hh"

#include <algorithm>
#include <optional>

#include "http/core/request_head.hh"

namespace service {
namespace {

std::string_view without_port(std::string_view host) {
    if (host.starts_with('[')) {
        return host.substr(0, host.find(']') + 1);
    }
    return host.substr(0, host.find(':'));
}

bool is_ipv4_literal(std::string_view host) {
    return host.find_first_not_of("0123456789.") == std::string_view::npos;
}

// A host that cannot name an account by its first label.
bool is_bare(std::string_view host, std::span<const std::string> bare_hosts) {
    return host.starts_with('[') || is_ipv4_literal(host) || !host.contains('.') ||
           std::ranges::any_of(bare_hosts, [host](const auto& bare) { return http::equal_ignoring_case(bare, host); });
}

struct found_account {
    std::string_view name;
    replica which;
};

std::optional<found_account> find_account(std::string_view text, std::span<const std::string> accounts) {
    auto which = replica::primary;
    if (text.ends_with(secondary_suffix)) {
        text.remove_suffix(secondary_suffix.size());
        which = replica::secondary;
    }
    // Host names reach us in any case; account names have no upper-case letters.
    const auto found = std::ranges::find_if(accounts, [text](const auto& name) { return http::equal_ignoring_case(name, text); });
    if (found == accounts.end()) {
        return std::nullopt;
    }
    return found_account{*found, which};
}

} // namespace

outcome<account_part> split_account(std::string_view host, std::string_view raw_path, const account_names& names) {
    auto bare = without_port(host);
    if (bare.ends_with('.')) {
        bare.remove_suffix(1);
    }
    if (bare.empty()) {
        return refuse(service_code::host_information_not_present);
    }
    if (!is_bare(bare, names.bare_hosts)) {
        if (auto account = find_account(bare.substr(0, bare.find('.')), names.accounts)) {
            return account_part{account->name, account->which, {}, raw_path};
        }
    }
    if (!raw_path.starts_with('/')) {
        return refuse(service_code::resource_not_found);
    }
    const auto rest = raw_path.substr(1);
    const auto segment = rest.substr(0, rest.find('/'));
    const auto account = find_account(segment, names.accounts);
    if (!account) {
        return refuse(service_code::resource_not_found);
    }
    return account_part{account->name, account->which, segment, rest.substr(segment.size())};
}

std::string base_url(std::string_view scheme, std::string_view host, const account_part& part) {
    std::string url;
    url.append(scheme).append("://").append(host);
    if (!part.path_segment.empty()) {
        url.append("/").append(part.path_segment);
    }
    return url;
}

outcome<target_parts> split_target(std::string_view target) {
    target_parts parts;
    if (!target.starts_with('/')) {
        constexpr std::string_view separator = "://";
        const auto scheme_end = target.find(separator);
        const auto scheme = target.substr(0, scheme_end);
        if (scheme_end == std::string_view::npos ||
            (!http::equal_ignoring_case(scheme, "http") && !http::equal_ignoring_case(scheme, "https"))) {
            return refuse(service_code::invalid_uri);
        }
        target.remove_prefix(scheme_end + separator.size());
        parts.host = target.substr(0, target.find_first_of("/?"));
        target.remove_prefix(parts.host.size());
        if (parts.host.empty()) {
            return refuse(service_code::invalid_uri);
        }
    }
    parts.path = target.substr(0, target.find('?'));
    target.remove_prefix(parts.path.size());
    parts.query = target.empty() ? target : target.substr(1);
    return parts;
}

} // namespace service
