// A point, a record or a bad line as one line of text, so that two readings of the same bytes can be compared and a difference
// read.
#pragma once

#include <bit>
#include <string>

#include <fmt/format.h>

#include "ingest/core/line_fault.hh"
#include "ingest/core/point.hh"
#include "ingest/core/record.hh"

namespace ingest_test {

// The bits of a double tell -0 from 0.
inline std::string value_text(const tables::value& value) {
    switch (value.type()) {
    case tables::value_type::int64: return fmt::format("{}i", value.as_int64());
    case tables::value_type::real: return fmt::format("{}({:x})", value.as_real(), std::bit_cast<uint64_t>(value.as_real()));
    case tables::value_type::boolean: return value.as_boolean() ? "true" : "false";
    case tables::value_type::string: return fmt::format("{:?}", value.as_string());
    default: return "a type no parser makes";
    }
}

inline std::string properties_text(std::span<const tables::property> properties) {
    std::string text = "{";
    for (const auto& p : properties) {
        text += fmt::format("{:?}:{} ", p.name, value_text(p.value));
    }
    return text + "}";
}

inline std::string point_text(const ingest::point_view& point) {
    std::string text = fmt::format("{:?} [", point.family);
    for (const auto& t : point.tags) {
        text += fmt::format("{:?}={:?} ", t.name, t.value);
    }
    text += "] " + properties_text(point.fields);
    return point.time_ns ? text + fmt::format(" @{}", *point.time_ns) : text;
}

inline std::string record_text(const ingest::record_view& record) {
    std::string text;
    auto add = [&text](std::string_view name, std::string_view value) {
        text += value.empty() ? "" : fmt::format("{}={:?} ", name, value);
    };
    add("source", record.source);
    add("level", record.level ? std::to_string(*record.level) : "");
    add("facility", record.facility ? std::to_string(*record.facility) : "");
    add("host", record.host);
    add("app", record.app);
    add("process_id", record.process_id);
    add("message_id", record.message_id);
    text += properties_text(record.fields) + fmt::format(" {:?}", record.message);
    return record.time_ns ? text + fmt::format(" @{}", *record.time_ns) : text;
}

inline std::string fault_text(const ingest::bad_line& bad) {
    return fmt::format("line {}: {}", bad.line, ingest::reason(bad.fault));
}

} // namespace ingest_test
