#include "service/core/cors_xml.hh"

#include <algorithm>
#include <array>
#include <climits>
#include <string>

#include "service/core/element_reader.hh"
#include "service/core/xml_text.hh"

namespace service {
namespace {

constexpr std::array<std::string_view, 8> cors_methods{"DELETE", "GET", "HEAD", "MERGE", "PATCH", "POST", "OPTIONS", "PUT"};

std::unexpected<service_error> bad_node_value() {
    return refuse(service_code::invalid_xml_node_value);
}

std::unexpected<service_error> over_limit() {
    return refuse(service_code::invalid_xml_document);
}

// A comma list without blanks and empty items; of an absent element, empty.
std::vector<std::string> list_of(const xml_element* element) {
    std::vector<std::string> items;
    std::string_view rest = element ? std::string_view(element->text) : std::string_view();
    while (!rest.empty()) {
        const size_t comma = std::min(rest.find(','), rest.size());
        auto item = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        item.remove_prefix(std::min(item.find_first_not_of(" \t\r\n"), item.size()));
        item = item.substr(0, item.find_last_not_of(" \t\r\n") + 1);
        if (!item.empty()) {
            items.emplace_back(item);
        }
    }
    return items;
}

bool is_too_long(const std::string& item) {
    return item.size() > cors_item_bytes_max;
}

// Literal names come before prefixed ones, as the production service reads them back.
outcome<std::vector<std::string>> header_list_of(const xml_element* element) {
    auto headers = list_of(element);
    const auto prefixed = std::ranges::stable_partition(headers, [](const auto& h) { return !h.ends_with('*'); });
    const size_t literal_count = headers.size() - prefixed.size();
    if (literal_count > cors_literal_headers_max || prefixed.size() > cors_prefixed_headers_max ||
        std::ranges::any_of(headers, is_too_long)) {
        return over_limit();
    }
    return headers;
}

outcome<cors_rule> parse_rule(const xml_element& element) {
    cors_rule rule;
    element_reader reader(element, {"AllowedMethods", "AllowedOrigins", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"});
    rule.methods = list_of(reader.required("AllowedMethods"));
    rule.origins = list_of(reader.required("AllowedOrigins"));
    reader.read_number("MaxAgeInSeconds", 0, INT_MAX, rule.max_age_seconds);
    auto allowed = header_list_of(reader.optional("AllowedHeaders"));
    auto exposed = header_list_of(reader.optional("ExposedHeaders"));
    if (const auto read = reader.result(); !read) {
        return std::unexpected(read.error());
    }
    if (!allowed || !exposed || rule.origins.size() > cors_origins_max || std::ranges::any_of(rule.origins, is_too_long)) {
        return over_limit();
    }
    const bool are_known =
        std::ranges::all_of(rule.methods, [](const auto& m) { return std::ranges::contains(cors_methods, m); });
    if (!are_known || rule.methods.empty() || rule.origins.empty()) {
        return bad_node_value();
    }
    rule.allowed_headers = *std::move(allowed);
    rule.exposed_headers = *std::move(exposed);
    return rule;
}

size_t settings_bytes(const cors_rule& rule) {
    size_t bytes = std::to_string(rule.max_age_seconds).size();
    for (const auto* list : {&rule.methods, &rule.origins, &rule.allowed_headers, &rule.exposed_headers}) {
        for (const auto& item : *list) {
            bytes += item.size();
        }
    }
    return bytes;
}

} // namespace

outcome<std::vector<cors_rule>> parse_cors(const xml_element& element) {
    std::vector<cors_rule> rules;
    size_t bytes = 0;
    for (const auto& child : element.children) {
        if (child.name != "CorsRule") {
            return refuse(service_code::unsupported_xml_node);
        }
        auto rule = parse_rule(child);
        if (!rule) {
            return std::unexpected(rule.error());
        }
        bytes += settings_bytes(*rule);
        rules.push_back(*std::move(rule));
    }
    return rules.size() > cors_rules_max || bytes > cors_settings_bytes_max ? over_limit()
                                                                            : outcome<std::vector<cors_rule>>(rules);
}

namespace {

void put_list(text_sink& out, std::string_view name, const std::vector<std::string>& items) {
    std::string text;
    for (const auto& item : items) {
        text.append(text.empty() ? "" : ",").append(item);
    }
    put_xml_element(out, name, text);
}

void put_rule(text_sink& out, const cors_rule& rule) {
    out.put("<CorsRule>");
    put_list(out, "AllowedMethods", rule.methods);
    put_list(out, "AllowedOrigins", rule.origins);
    put_list(out, "AllowedHeaders", rule.allowed_headers);
    put_list(out, "ExposedHeaders", rule.exposed_headers);
    put_xml_element(out, "MaxAgeInSeconds", std::to_string(rule.max_age_seconds));
    out.put("</CorsRule>");
}

} // namespace

void put_cors(text_sink& out, std::span<const cors_rule> rules) {
    if (rules.empty()) {
        return out.put("<Cors />");
    }
    out.put("<Cors>");
    for (const auto& rule : rules) {
        put_rule(out, rule);
    }
    out.put("</Cors>");
}

} // namespace service
