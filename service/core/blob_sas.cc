#include "service/core/blob_sas.hh"

#include <algorithm>

#include "service/core/access_policy.hh"

namespace service {
namespace {

// The fields are in this order from here on; versions compare as their texts.
constexpr std::string_view oldest_sas_version = "2018-11-09";

std::string_view text(const http::query_string& query, std::string_view name) {
    return query.get(name).value_or("");
}

bool has_control_characters(const http::query_string& query) {
    return std::ranges::any_of(query.all(), [](const http::query_parameter& p) {
        return std::ranges::any_of(p.value, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    });
}

// Who may list may not read, so a blob is never a list.
uint32_t needed_permission(const blob_target& target) {
    return letter_bits(target.is_list && target.blob.empty() ? "l" : "r");
}

outcome<void> check_account_sas(const sas_parameters& sas, const blob_target& target, const account_secrets& account,
                                const sas_facts& facts) {
    const auto grant = verify_sas(sas, account, facts);
    if (!grant) {
        return std::unexpected(grant.error());
    }
    const auto* type = target.container.empty() ? "s" : target.blob.empty() ? "c" : "o";
    if ((grant->types & letter_bits(type)) == 0) {
        return refuse(service_code::authorization_resource_type_mismatch);
    }
    if ((grant->permissions & needed_permission(target)) == 0) {
        return refuse(service_code::authorization_permission_mismatch);
    }
    return {};
}

bool is_timely(const http::query_string& query, base::tick now) {
    const auto start = text(query, "st");
    const auto starts = parse_access_time(start);
    const auto ends = parse_access_time(text(query, "se"));
    return (start.empty() || (starts && *starts <= now)) && ends && now < *ends;
}

// An address range or a protocol is a promise this must keep too; so both are checked as for an account.
outcome<void> check_blob_circumstances(const http::query_string& query, const sas_facts& facts) {
    const auto protocol = text(query, "spr");
    if (!protocol.empty() && protocol != "https,http" && !(protocol == "https" && facts.is_https)) {
        return refuse(service_code::authorization_protocol_mismatch);
    }
    const auto range = text(query, "sip");
    if (range.empty()) {
        return {};
    }
    const auto first = parse_ipv4(range.substr(0, range.find('-')));
    const auto last = range.contains('-') ? parse_ipv4(range.substr(range.find('-') + 1)) : first;
    const bool is_inside = facts.peer_ipv4 && first && last && *first <= *facts.peer_ipv4 && *facts.peer_ipv4 <= *last;
    return is_inside ? outcome<void>() : refuse(service_code::authorization_source_ip_mismatch);
}

} // namespace

std::string blob_sas_string_to_sign(const http::query_string& query, const blob_target& target, std::string_view account) {
    std::string resource = "/blob/";
    resource.append(account).append("/").append(target.container);
    if (text(query, "sr") == "b") {
        resource.append("/").append(target.blob);
    }
    std::string signed_text;
    const auto add = [&](std::string_view line) { signed_text.append(line).append("\n"); };
    for (const auto* name : {"sp", "st", "se"}) {
        add(text(query, name));
    }
    add(resource);
    for (const auto* name : {"si", "sip", "spr", "sv", "sr", "snapshot"}) {
        add(text(query, name));
    }
    if (text(query, "sv") >= sas_scope_version) {
        add(text(query, "ses"));
    }
    for (const auto* name : {"rscc", "rscd", "rsce", "rscl", "rsct"}) {
        add(text(query, name));
    }
    signed_text.pop_back();
    return signed_text;
}

outcome<void> check_blob_sas(const http::query_string& query, const blob_target& target, const account_secrets& account,
                             const sas_facts& facts) {
    const auto sas = find_sas(query);
    if (!sas) {
        return refuse(service_code::no_authentication_information);
    }
    if (sas->is_for_account()) {
        return check_account_sas(*sas, target, account, facts);
    }
    const auto kind = text(query, "sr");
    const bool is_known = sas->version.size() == oldest_sas_version.size() && sas->version >= oldest_sas_version &&
                          (kind == "c" || kind == "b") && sas->policy_id.empty() && !sas->has_user_delegation &&
                          !has_control_characters(query);
    if (!is_known || !is_signed(sas->signature, blob_sas_string_to_sign(query, target, account.name), account.keys) ||
        !is_timely(query, facts.now)) {
        return refuse(service_code::authentication_failed);
    }
    if (auto allowed = check_blob_circumstances(query, facts); !allowed) {
        return allowed;
    }
    const bool is_inside = kind == "c" ? !target.container.empty() : !target.blob.empty();
    return is_inside && (letter_bits(sas->permission) & needed_permission(target)) != 0
               ? outcome<void>()
               : refuse(service_code::authorization_permission_mismatch);
}

} // namespace service
