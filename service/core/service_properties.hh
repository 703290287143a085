// The service properties of an account: logging and metrics settings, which are kept and shown, and the CORS rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/core/cors.hh"
#include "service/core/service_error.hh"

namespace service {

constexpr unsigned retention_days_max = 365;

struct retention_policy {
    bool is_enabled = false;
    unsigned days = 0; // 1..365 when enabled

    bool operator==(const retention_policy&) const = default;
};

struct logging_properties {
    std::string version = "1.0";
    bool reads = false;
    bool writes = false;
    bool deletes = false;
    retention_policy retention;

    bool operator==(const logging_properties&) const = default;
};

struct metrics_properties {
    std::string version = "1.0";
    bool is_enabled = false;
    bool includes_apis = false; // shown when enabled
    retention_policy retention;

    bool operator==(const metrics_properties&) const = default;
};

// As those of a fresh account.
struct service_properties {
    logging_properties logging;
    metrics_properties hour_metrics{.is_enabled = true, .includes_apis = true, .retention = {.is_enabled = true, .days = 7}};
    metrics_properties minute_metrics;
    std::vector<cors_rule> cors;

    bool operator==(const service_properties&) const = default;
};

// `stored` with the parts that the document has; parts it leaves out stay. InvalidXmlDocument: not that XML, a part twice,
// or CORS rules over their limits. InvalidXmlNodeValue, MissingRequiredXmlNode, UnsupportedXmlNode.
outcome<service_properties> apply_properties(service_properties stored, std::string_view xml);
// Reads back as the same properties.
void append_properties(std::string& out, const service_properties&);

} // namespace service
