#include "service/core/service_xml.hh"

#include <algorithm>

#include "http/core/reply_head.hh"
#include "service/core/text_sink.hh"
#include "service/core/time_text.hh"
#include "service/core/xml_document.hh"
#include "service/core/xml_text.hh"
#include "tables/core/unicode.hh"

namespace service {
namespace {

constexpr std::string_view table_permissions = "raud";

std::unexpected<service_error> invalid_document() {
    return refuse(service_code::invalid_xml_document);
}

// Each child at most once, and no others.
bool has_only(const xml_element& element, std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(element.children, [&](const xml_element& child) {
        return std::ranges::contains(names, child.name) &&
               std::ranges::count(element.children, child.name, &xml_element::name) == 1;
    });
}

// An empty time is an absent one.
outcome<std::optional<base::tick>> parse_time_element(const xml_element* element) {
    if (!element || element->text.empty()) {
        return std::nullopt;
    }
    const auto time = parse_access_time(element->text);
    return time ? outcome<std::optional<base::tick>>(time) : invalid_document();
}

outcome<access_policy> parse_policy(const xml_element& element) {
    if (!has_only(element, {"Start", "Expiry", "Permission"})) {
        return invalid_document();
    }
    access_policy policy;
    const auto start = parse_time_element(element.child("Start"));
    const auto expiry = parse_time_element(element.child("Expiry"));
    if (!start || !expiry) {
        return invalid_document();
    }
    policy.start = *start;
    policy.expiry = *expiry;
    if (const auto* permission = element.child("Permission"); permission && !permission->text.empty()) {
        if (permission->text.find_first_not_of(table_permissions) != std::string::npos) {
            return invalid_document();
        }
        policy.permission = permission->text;
    }
    return policy;
}

outcome<signed_identifier> parse_identifier(const xml_element& element) {
    const auto* id = element.child("Id");
    if (element.name != "SignedIdentifier" || !has_only(element, {"Id", "AccessPolicy"}) || !id || id->text.empty() ||
        tables::utf16_length(id->text) > policy_id_characters_max) {
        return invalid_document();
    }
    signed_identifier identifier{.id = id->text, .policy = std::nullopt};
    if (const auto* policy = element.child("AccessPolicy")) {
        auto parsed = parse_policy(*policy);
        if (!parsed) {
            return std::unexpected(parsed.error());
        }
        identifier.policy = *std::move(parsed);
    }
    return identifier;
}

void put_time_element(text_sink& out, std::string_view name, const std::optional<base::tick>& time) {
    if (time) {
        put_xml_element(out, name, text_of([&](text_sink& text) { put_time(text, *time, fraction::seven); }));
    }
}

void put_policy(text_sink& out, const access_policy& policy) {
    if (policy == access_policy{}) {
        return out.put("<AccessPolicy />");
    }
    out.put("<AccessPolicy>");
    put_time_element(out, "Start", policy.start);
    put_time_element(out, "Expiry", policy.expiry);
    if (policy.permission) {
        put_xml_element(out, "Permission", *policy.permission);
    }
    out.put("</AccessPolicy>");
}

std::string_view name(replication_status status) {
    switch (status) {
    case replication_status::live: return "live";
    case replication_status::bootstrap: return "bootstrap";
    case replication_status::unavailable: break;
    }
    return "unavailable";
}

} // namespace

outcome<std::vector<signed_identifier>> parse_acl(std::string_view xml) {
    std::vector<signed_identifier> identifiers;
    if (xml.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return identifiers;
    }
    const auto root = parse_xml(xml);
    if (!root || root->name != "SignedIdentifiers" || root->children.size() > policies_max) {
        return invalid_document();
    }
    for (const auto& element : root->children) {
        auto identifier = parse_identifier(element);
        if (!identifier || std::ranges::contains(identifiers, identifier->id, &signed_identifier::id)) {
            return invalid_document();
        }
        identifiers.push_back(*std::move(identifier));
    }
    return identifiers;
}

void append_acl(std::string& out, std::span<const signed_identifier> identifiers) {
    text_sink sink(out);
    sink.put(xml_declaration);
    if (identifiers.empty()) {
        return sink.put("<SignedIdentifiers />");
    }
    sink.put("<SignedIdentifiers>");
    for (const auto& identifier : identifiers) {
        sink.put("<SignedIdentifier>");
        put_xml_element(sink, "Id", identifier.id);
        if (identifier.policy) {
            put_policy(sink, *identifier.policy);
        }
        sink.put("</SignedIdentifier>");
    }
    sink.put("</SignedIdentifiers>");
}

void append_stats(std::string& out, replication_status status, base::tick last_sync) {
    const bool is_live = status == replication_status::live;
    const int64_t seconds = (last_sync.value - base::unix_epoch.value) / base::ticks_per_second;
    text_sink sink(out);
    sink.put(xml_declaration);
    sink.put("<StorageServiceStats><GeoReplication>");
    put_xml_element(sink, "Status", name(status));
    put_xml_element(sink, "LastSyncTime", is_live ? http::http_date(seconds) : std::string());
    sink.put("</GeoReplication></StorageServiceStats>");
}

} // namespace service
