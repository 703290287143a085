// Which account a request is for. Clients name it in the path (http://127.0.0.1:10002/acct/Tables) or as the first label of
// the host (https://acct.table.example/Tables); "acct-secondary" is its read-only replica in both places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "service/core/service_error.hh"

namespace service {

inline constexpr std::string_view secondary_suffix = "-secondary";

enum class replica : uint8_t { primary, secondary };

// What there is to choose from. Borrowed.
struct account_names {
    std::span<const std::string> accounts;
    std::span<const std::string> bare_hosts; // names with dots that nevertheless name no account
};

// Views into the request, except for the account, which is spelled as in account_names.
struct account_part {
    std::string_view account;
    replica which = replica::primary;
    std::string_view path_segment;  // the account as it stood in the path, "-secondary" included; empty in host style
    std::string_view resource_path; // raw, what follows the account: empty or beginning with '/'
};

// `host` is the Host header, port included. HostInformationNotPresent without one, ResourceNotFound for an unknown account.
outcome<account_part> split_account(std::string_view host, std::string_view raw_path, const account_names&);

// "http://127.0.0.1:10002/devstoreaccount1": what every URL in a reply begins with.
std::string base_url(std::string_view scheme, std::string_view host, const account_part&);

// A request target inside a transaction: a whole URL or a path. InvalidUri for anything else.
struct target_parts {
    std::string_view host; // empty when the target is a path
    std::string_view path; // raw
    std::string_view query;
};

outcome<target_parts> split_target(std::string_view);

} // namespace service
