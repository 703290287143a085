// The ways in, as metrics tell them apart.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingest {

enum class protocol : uint8_t { line_http, line, graphite, json, syslog, logs_http };
constexpr unsigned protocols_count = 6;

constexpr std::string_view name(protocol p) {
    switch (p) {
    case protocol::line_http: return "line_http";
    case protocol::line: return "line";
    case protocol::graphite: return "graphite";
    case protocol::json: return "json";
    case protocol::syslog: return "syslog";
    case protocol::logs_http: return "logs_http";
    }
    return "unknown";
}

} // namespace ingest
