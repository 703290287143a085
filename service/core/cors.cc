#include "service/core/cors.hh"

#include <algorithm>

#include "http/core/request_head.hh"

namespace service {
namespace {

bool is_origin_allowed(const cors_rule& rule, std::string_view origin) {
    return std::ranges::contains(rule.origins, "*") || std::ranges::contains(rule.origins, origin);
}

std::string_view shown_origin(const cors_rule& rule, std::string_view origin) {
    return std::ranges::contains(rule.origins, "*") ? std::string_view("*") : origin;
}

// A rule's header is a name, or the beginning of names and a star.
bool covers_header(std::string_view pattern, std::string_view header) {
    if (!pattern.ends_with('*')) {
        return http::equal_ignoring_case(pattern, header);
    }
    pattern.remove_suffix(1);
    return http::equal_ignoring_case(pattern, header.substr(0, pattern.size()));
}

bool covers_headers(const cors_rule& rule, std::string_view requested) {
    while (!requested.empty()) {
        const size_t comma = std::min(requested.find(','), requested.size());
        auto header = requested.substr(0, comma);
        requested.remove_prefix(std::min(comma + 1, requested.size()));
        header.remove_prefix(std::min(header.find_first_not_of(" \t"), header.size()));
        header = header.substr(0, header.find_last_not_of(" \t") + 1);
        if (!header.empty() &&
            std::ranges::none_of(rule.allowed_headers, [&](const auto& p) { return covers_header(p, header); })) {
            return false;
        }
    }
    return true;
}

std::string comma_list(std::span<const std::string> names) {
    std::string text;
    for (const auto& name : names) {
        text.append(text.empty() ? "" : ",").append(name);
    }
    return text;
}

} // namespace

outcome<preflight_reply> answer_preflight(std::span<const cors_rule> rules, const preflight_request& request) {
    if (!request.origin || request.origin->empty() || !request.method || request.method->empty()) {
        return refuse(service_code::invalid_header_value, "A required CORS header is not present.");
    }
    const auto headers = request.headers.value_or("");
    for (const auto& rule : rules) {
        if (is_origin_allowed(rule, *request.origin) && std::ranges::contains(rule.methods, *request.method) &&
            covers_headers(rule, headers)) {
            return preflight_reply{.allow_origin = shown_origin(rule, *request.origin),
                                   .allow_methods = *request.method,
                                   .allow_headers = headers,
                                   .max_age_seconds = rule.max_age_seconds};
        }
    }
    return refuse(service_code::cors_preflight_failure);
}

cors_reply answer_actual(std::span<const cors_rule> rules, std::optional<std::string_view> origin, std::string_view method) {
    cors_reply reply;
    if (!origin) {
        reply.varies_by_origin = !rules.empty() && method == "GET";
        return reply;
    }
    const auto rule = std::ranges::find_if(
        rules, [&](const cors_rule& r) { return is_origin_allowed(r, *origin) && std::ranges::contains(r.methods, method); });
    if (rule == rules.end()) {
        return reply;
    }
    reply.allow_origin = shown_origin(*rule, *origin);
    reply.exposes_all = std::ranges::contains(rule->exposed_headers, "*");
    reply.expose_headers = reply.exposes_all ? std::string() : comma_list(rule->exposed_headers);
    reply.varies_by_origin = reply.allow_origin != "*";
    return reply;
}

} // namespace service
