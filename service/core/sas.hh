// Shared access signatures: query parameters that grant some operations for some time, signed with an account key.
//
// An *account* SAS (ss, srt) opens kinds of resources of the account, a *table* SAS (tn) one table, perhaps a range of its
// keys, perhaps as a stored policy of that table says. Everything is decided here from values; nothing is looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/core/query_string.hh"
#include "service/core/access_policy.hh"
#include "service/core/sas_grant.hh"
#include "service/core/service_error.hh"
#include "service/core/signature.hh"

namespace service {

// From here on a signature covers the encryption scope, too. Versions compare as their texts.
inline constexpr std::string_view sas_scope_version = "2020-12-06";

// The parameters as given, decoded. Views into the query string. A signature cannot tell an empty field from an absent one,
// so nothing else may: both are empty here.
struct sas_parameters {
    std::string_view version;         // sv
    std::string_view services;        // ss
    std::string_view types;           // srt
    std::string_view permission;      // sp
    std::string_view start;           // st
    std::string_view expiry;          // se
    std::string_view ip;              // sip
    std::string_view protocol;        // spr
    std::string_view scope;           // ses
    std::string_view table;           // tn
    std::string_view policy_id;       // si
    std::string_view signature;       // sig
    std::string_view start_partition; // spk
    std::string_view start_row;       // srk
    std::string_view end_partition;   // epk
    std::string_view end_row;         // erk
    bool has_user_delegation = false; // skoid and its like, which are not supported

    bool is_for_account() const { return !services.empty() || !types.empty(); }
};

// Nothing when the request has no `sig`: then it is not a SAS request at all.
std::optional<sas_parameters> find_sas(const http::query_string&);

// The text that `sig` signs; its form depends on the version.
std::string string_to_sign(const sas_parameters&, std::string_view account);

// What the server knows about the request.
struct sas_facts {
    base::tick now;
    std::optional<uint32_t> peer_ipv4; // nothing for a peer with another address
    bool is_https = false;
    std::span<const signed_identifier> policies; // of the table `tn`
    char service = 't';                          // the letter an account SAS must have in `ss`
};

// Signature, policy, times, address and protocol, in this order; each failure has its own code.
outcome<sas_grant> verify_sas(const sas_parameters&, const account_secrets&, const sas_facts&);

std::optional<uint32_t> parse_ipv4(std::string_view);
// A listener on `::` sees its IPv4 clients as ::ffff:a.b.c.d. Nothing for any other address.
std::optional<uint32_t> ipv4_of_mapped(std::span<const uint8_t, 16> ipv6);

} // namespace service
