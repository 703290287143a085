#include "service/core/sas.hh"

#include <algorithm>
#include <array>
#include <charconv>

#include "service/core/ascii.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

// Versions compare as their texts.
constexpr std::string_view oldest_table_version = "2012-02-12";
constexpr std::string_view service_in_resource_version = "2015-02-21";
constexpr std::string_view oldest_account_version = "2015-04-05";
constexpr std::string_view ip_and_protocol_version = "2015-04-05";

std::string joined_lines(std::initializer_list<std::string_view> fields) {
    std::string text;
    for (const auto field : fields) {
        text.append(field).append("\n");
    }
    return text;
}

bool has_control_character(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// A line end in a field could pass for the border of two; no field has one.
bool has_clean_fields(const sas_parameters& p) {
    const std::string_view fields[] = {p.version,   p.services,      p.types,  p.permission, p.start,     p.expiry,
                                       p.ip,        p.protocol,      p.scope,  p.table,      p.policy_id, p.start_partition,
                                       p.start_row, p.end_partition, p.end_row};
    return std::ranges::none_of(fields, has_control_character);
}

bool has_required_fields(const sas_parameters& p) {
    constexpr size_t date_characters = 10;
    if (p.signature.empty() || p.version.size() != date_characters || p.has_user_delegation) {
        return false;
    }
    if (p.is_for_account()) {
        return p.version >= oldest_account_version && !p.services.empty() && !p.types.empty() && !p.permission.empty() &&
               !p.expiry.empty();
    }
    const bool has_range_keys =
        (!p.start_partition.empty() || p.start_row.empty()) && (!p.end_partition.empty() || p.end_row.empty());
    return p.version >= oldest_table_version && !p.table.empty() && has_range_keys &&
           (!p.policy_id.empty() || (!p.permission.empty() && !p.expiry.empty()));
}

// Times and permission, wherever they are written.
struct sas_terms {
    std::optional<base::tick> start;
    std::optional<base::tick> expiry;
    std::string_view permission;
};

outcome<sas_terms> own_terms(const sas_parameters& p) {
    sas_terms terms{.start = parse_access_time(p.start), .expiry = parse_access_time(p.expiry), .permission = p.permission};
    if ((!p.start.empty() && !terms.start) || (!p.expiry.empty() && !terms.expiry)) {
        return refuse(service_code::authentication_failed);
    }
    return terms;
}

// What the policy says beside what the signature says; never both.
outcome<sas_terms> with_policy(sas_terms terms, std::string_view id, std::span<const signed_identifier> policies) {
    const auto found = std::ranges::find(policies, id, &signed_identifier::id);
    if (found == policies.end()) {
        return refuse(service_code::authentication_failed);
    }
    const auto policy = found->policy.value_or(access_policy{});
    if ((terms.start && policy.start) || (terms.expiry && policy.expiry) || (!terms.permission.empty() && policy.permission)) {
        return refuse(service_code::invalid_query_parameter_value);
    }
    terms.start = terms.start ? terms.start : policy.start;
    terms.expiry = terms.expiry ? terms.expiry : policy.expiry;
    if (policy.permission) {
        terms.permission = *found->policy->permission;
    }
    return terms;
}

outcome<sas_terms> find_terms(const sas_parameters& p, const sas_facts& facts) {
    auto terms = own_terms(p);
    if (terms && !p.is_for_account() && !p.policy_id.empty()) {
        terms = with_policy(*terms, p.policy_id, facts.policies);
    }
    if (!terms) {
        return terms;
    }
    const bool has_started = !terms->start || *terms->start <= facts.now;
    if (!terms->expiry || terms->permission.empty() || !has_started || *terms->expiry <= facts.now) {
        return refuse(service_code::authentication_failed);
    }
    return terms;
}

// "a.b.c.d" or "a.b.c.d-e.f.g.h", both ends included.
bool is_in_ip_range(std::string_view range, std::optional<uint32_t> peer) {
    const size_t dash = range.find('-');
    const auto first = parse_ipv4(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_ipv4(range.substr(dash + 1));
    return peer && first && last && *first <= *peer && *peer <= *last;
}

bool is_protocol_allowed(std::string_view protocols, bool is_https) {
    return protocols == "https,http" || (protocols == "https" && is_https);
}

outcome<void> check_circumstances(const sas_parameters& p, const sas_facts& facts) {
    if (!p.ip.empty() && !is_in_ip_range(p.ip, facts.peer_ipv4)) {
        return refuse(service_code::authorization_source_ip_mismatch);
    }
    if (!p.protocol.empty() && !is_protocol_allowed(p.protocol, facts.is_https)) {
        return refuse(service_code::authorization_protocol_mismatch);
    }
    if (p.is_for_account() && !p.services.contains(facts.service)) {
        return refuse(service_code::authorization_service_mismatch);
    }
    return {};
}

// Both ends are included; a key never holds a zero byte, so the position behind one is that key and a zero.
tables::key_range range_of(const sas_parameters& p) {
    auto range = tables::key_range::all();
    range.from = {tables::collate(p.start_partition), tables::collate(p.start_row)};
    if (!p.end_row.empty()) {
        range.before = tables::entity_key{tables::collate(p.end_partition), tables::collate(p.end_row)}.successor();
    } else if (!p.end_partition.empty()) {
        range.before = tables::entity_key{tables::collate(p.end_partition) + '\0', {}};
    }
    return range;
}

} // namespace

std::optional<sas_parameters> find_sas(const http::query_string& query) {
    if (!query.get("sig")) {
        return std::nullopt;
    }
    auto text = [&query](std::string_view name) { return query.get(name).value_or(""); };
    constexpr std::array<std::string_view, 6> delegation{"skoid", "sktid", "skt", "ske", "sks", "skv"};
    return sas_parameters{.version = text("sv"),
                          .services = text("ss"),
                          .types = text("srt"),
                          .permission = text("sp"),
                          .start = text("st"),
                          .expiry = text("se"),
                          .ip = text("sip"),
                          .protocol = text("spr"),
                          .scope = text("ses"),
                          .table = text("tn"),
                          .policy_id = text("si"),
                          .signature = text("sig"),
                          .start_partition = text("spk"),
                          .start_row = text("srk"),
                          .end_partition = text("epk"),
                          .end_row = text("erk"),
                          .has_user_delegation =
                              std::ranges::any_of(delegation, [&](auto n) { return query.get(n).has_value(); })};
}

std::string string_to_sign(const sas_parameters& p, std::string_view account) {
    if (p.is_for_account()) {
        auto text = joined_lines({account, p.permission, p.services, p.types, p.start, p.expiry, p.ip, p.protocol, p.version});
        if (p.version >= sas_scope_version) {
            text.append(p.scope).append("\n");
        }
        return text;
    }
    std::string resource = p.version >= service_in_resource_version ? "/table/" : "/";
    resource.append(account).append("/").append(lower_case(p.table));
    auto text = joined_lines({p.permission, p.start, p.expiry, resource, p.policy_id});
    if (p.version >= ip_and_protocol_version) {
        text += joined_lines({p.ip, p.protocol});
    }
    text += joined_lines({p.version, p.start_partition, p.start_row, p.end_partition});
    return text.append(p.end_row);
}

outcome<sas_grant> verify_sas(const sas_parameters& p, const account_secrets& account, const sas_facts& facts) {
    if (!has_required_fields(p) || !has_clean_fields(p) ||
        !is_signed(p.signature, string_to_sign(p, account.name), account.keys)) {
        return refuse(service_code::authentication_failed);
    }
    const auto terms = find_terms(p, facts);
    if (!terms) {
        return std::unexpected(terms.error());
    }
    if (const auto checked = check_circumstances(p, facts); !checked) {
        return std::unexpected(checked.error());
    }
    sas_grant grant{.is_for_account = p.is_for_account(), .permissions = letter_bits(terms->permission)};
    if (grant.is_for_account) {
        grant.types = letter_bits(p.types);
    } else {
        grant.table = lower_case(p.table);
        grant.range = range_of(p);
    }
    return grant;
}

std::optional<uint32_t> parse_ipv4(std::string_view text) {
    constexpr int parts_count = 4;
    uint32_t address = 0;
    for (int i = 0; i < parts_count; ++i) {
        uint8_t part = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
        if (error != std::errc{}) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        address = address << 8 | part;
        if (i + 1 < parts_count) {
            if (!text.starts_with('.')) {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
    }
    return text.empty() ? std::optional(address) : std::nullopt;
}

std::optional<uint32_t> ipv4_of_mapped(std::span<const uint8_t, 16> ipv6) {
    constexpr std::array<uint8_t, 12> prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (!std::ranges::equal(ipv6.first<prefix.size()>(), prefix)) {
        return std::nullopt;
    }
    uint32_t address = 0;
    for (const uint8_t byte : ipv6.last<4>()) {
        address = address << 8 | byte;
    }
    return address;
}

} // namespace service
