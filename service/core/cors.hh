// Cross-origin rules: what a browser may ask of this account from another site. The rules never block a request; they only
// decide which headers a reply carries.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/core/service_error.hh"

namespace service {

constexpr size_t cors_rules_max = 5;
constexpr size_t cors_origins_max = 64;          // of one rule
constexpr size_t cors_literal_headers_max = 64;  // of one list
constexpr size_t cors_prefixed_headers_max = 2;  // of one list
constexpr size_t cors_item_bytes_max = 256;      // an origin or a header
constexpr size_t cors_settings_bytes_max = 2048; // all rules together

struct cors_rule {
    std::vector<std::string> methods;
    std::vector<std::string> origins;         // exact, or *
    std::vector<std::string> allowed_headers; // literal, x-ms-meta*, or *
    std::vector<std::string> exposed_headers;
    unsigned max_age_seconds = 0;

    bool operator==(const cors_rule&) const = default;
};

// The headers of an OPTIONS request, as sent.
struct preflight_request {
    std::optional<std::string_view> origin;
    std::optional<std::string_view> method;
    std::optional<std::string_view> headers;
};

// The values of the Access-Control-... headers of the answer. Views into the rules and the request.
struct preflight_reply {
    std::string_view allow_origin;
    std::string_view allow_methods;
    std::string_view allow_headers; // empty: no such header
    unsigned max_age_seconds = 0;
};

// The first rule that fits. InvalidHeaderValue without origin or method, CorsPreflightFailure when no rule does.
outcome<preflight_reply> answer_preflight(std::span<const cors_rule>, const preflight_request&);

// What a reply to an actual request carries.
struct cors_reply {
    std::string_view allow_origin; // empty: no rule fits
    std::string expose_headers;    // names, comma-separated; empty: no such header
    bool exposes_all = false;      // the names of all headers sent instead
    bool varies_by_origin = false; // Vary: Origin
};

cors_reply answer_actual(std::span<const cors_rule>, std::optional<std::string_view> origin, std::string_view method);

} // namespace service
