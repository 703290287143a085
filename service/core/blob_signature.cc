#include "service/core/blob_signature.hh"

#include <algorithm>
#include <map>
#include <vector>

#include "service/core/ascii.hh"

namespace service {
namespace {

// By name, the values of one name in the order of arrival.
std::string canonical_headers(const http::request_head& head) {
    std::multimap<std::string, std::string_view> own;
    for (const auto& h : head.headers) {
        if (auto name = lower_case(h.name); name.starts_with("x-ms-")) {
            own.emplace(std::move(name), h.value);
        }
    }
    std::string text;
    for (const auto& [name, value] : own) {
        text.append(name).append(":").append(value).append("\n");
    }
    return text;
}

std::string canonical_resource(const http::request_head& head, const http::query_string& query, std::string_view account) {
    std::map<std::string, std::vector<std::string_view>> parameters;
    for (const auto& p : query.all()) {
        parameters[lower_case(p.name)].push_back(p.value);
    }
    std::string text("/");
    text.append(account).append(head.path);
    for (auto& [name, values] : parameters) {
        std::ranges::sort(values);
        text.append("\n").append(name).append(":");
        for (size_t i = 0; i < values.size(); ++i) {
            text.append(i == 0 ? "" : ",").append(values[i]);
        }
    }
    return text;
}

} // namespace

std::string blob_string_to_sign(const http::request_head& head, const http::query_string& query, std::string_view account) {
    const auto header = [&](std::string_view name) { return head.header(name).value_or(""); };
    const auto length = header("content-length");
    const bool has_own_date = head.header("x-ms-date").has_value();
    const std::string_view lines[] = {head.method,
                                      header("content-encoding"),
                                      header("content-language"),
                                      length == "0" ? std::string_view() : length,
                                      header("content-md5"),
                                      header("content-type"),
                                      has_own_date ? std::string_view() : header("date"),
                                      header("if-modified-since"),
                                      header("if-match"),
                                      header("if-none-match"),
                                      header("if-unmodified-since"),
                                      header("range")};
    std::string text;
    for (const auto line : lines) {
        text.append(line).append("\n");
    }
    return text.append(canonical_headers(head)).append(canonical_resource(head, query, account));
}

outcome<void> authenticate_blob(std::string_view header, const http::request_head& head, const http::query_string& query,
                                const account_secrets& account, const clock_rule& clock) {
    const auto parsed = parse_authorization(header);
    if (!parsed) {
        return std::unexpected(parsed.error());
    }
    const auto date = parse_http_date(head.header("x-ms-date").value_or(head.header("date").value_or("")));
    const bool is_fresh = date && (!clock.skew_ticks_max || std::abs(clock.now.value - date->value) <= *clock.skew_ticks_max);
    if (parsed->scheme != key_scheme::shared_key || parsed->account != account.name || !is_fresh ||
        !is_signed(parsed->signature, blob_string_to_sign(head, query, account.name), account.keys)) {
        return refuse(service_code::authentication_failed);
    }
    return {};
}

} // namespace service
