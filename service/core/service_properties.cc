#include "service/core/service_properties.hh"

#include "service/core/cors_xml.hh"
#include "service/core/element_reader.hh"
#include "service/core/text_sink.hh"
#include "service/core/xml_document.hh"
#include "service/core/xml_text.hh"

namespace service {
namespace {

constexpr size_t version_characters_max = 16;

void read_version(element_reader& reader, std::string& version) {
    const auto* found = reader.optional("Version");
    if (!found) {
        return;
    }
    if (found->text.empty() || found->text.size() > version_characters_max ||
        found->text.find_first_not_of("0123456789.") != std::string::npos) {
        return reader.note(service_code::invalid_xml_node_value);
    }
    version = found->text;
}

void read_retention(element_reader& reader, retention_policy& retention) {
    const auto* found = reader.optional("RetentionPolicy");
    if (!found) {
        return;
    }
    element_reader inner(*found, {"Enabled", "Days"});
    inner.read_boolean("Enabled", retention.is_enabled);
    if (retention.is_enabled) {
        inner.read_number("Days", 1, retention_days_max, retention.days);
    }
    if (const auto read = inner.result(); !read) {
        reader.note(read.error().code);
    }
}

outcome<logging_properties> parse_logging(const xml_element& element) {
    logging_properties logging;
    element_reader reader(element, {"Version", "Read", "Write", "Delete", "RetentionPolicy"});
    read_version(reader, logging.version);
    reader.read_boolean("Read", logging.reads);
    reader.read_boolean("Write", logging.writes);
    reader.read_boolean("Delete", logging.deletes);
    read_retention(reader, logging.retention);
    return reader.result().transform([&] { return logging; });
}

outcome<metrics_properties> parse_metrics(const xml_element& element) {
    metrics_properties metrics;
    element_reader reader(element, {"Version", "Enabled", "IncludeAPIs", "RetentionPolicy"});
    read_version(reader, metrics.version);
    reader.read_boolean("Enabled", metrics.is_enabled);
    if (metrics.is_enabled && reader.optional("IncludeAPIs")) {
        reader.read_boolean("IncludeAPIs", metrics.includes_apis);
    }
    read_retention(reader, metrics.retention);
    return reader.result().transform([&] { return metrics; });
}

// Replaces a part by what its element says.
template <class T>
outcome<void> apply_part(const xml_element* element, T& part, outcome<T> (*parse)(const xml_element&)) {
    if (!element) {
        return {};
    }
    return parse(*element).transform([&](T&& parsed) { part = std::move(parsed); });
}

} // namespace

outcome<service_properties> apply_properties(service_properties stored, std::string_view xml) {
    const auto root = parse_xml(xml);
    if (!root || root->name != "StorageServiceProperties") {
        return refuse(service_code::invalid_xml_document);
    }
    const element_reader parts(*root, {"Logging", "HourMetrics", "MinuteMetrics", "Cors"});
    return parts.result()
        .and_then([&] { return apply_part(root->child("Logging"), stored.logging, parse_logging); })
        .and_then([&] { return apply_part(root->child("HourMetrics"), stored.hour_metrics, parse_metrics); })
        .and_then([&] { return apply_part(root->child("MinuteMetrics"), stored.minute_metrics, parse_metrics); })
        .and_then([&] { return apply_part(root->child("Cors"), stored.cors, parse_cors); })
        .transform([&] { return std::move(stored); });
}

namespace {

void put_boolean(text_sink& out, std::string_view name, bool value) {
    put_xml_element(out, name, value ? "true" : "false");
}

void put_retention(text_sink& out, const retention_policy& retention) {
    out.put("<RetentionPolicy>");
    put_boolean(out, "Enabled", retention.is_enabled);
    if (retention.is_enabled) {
        put_xml_element(out, "Days", std::to_string(retention.days));
    }
    out.put("</RetentionPolicy>");
}

void put_logging(text_sink& out, const logging_properties& logging) {
    out.put("<Logging>");
    put_xml_element(out, "Version", logging.version);
    put_boolean(out, "Read", logging.reads);
    put_boolean(out, "Write", logging.writes);
    put_boolean(out, "Delete", logging.deletes);
    put_retention(out, logging.retention);
    out.put("</Logging>");
}

void put_metrics(text_sink& out, const metrics_properties& metrics) {
    put_xml_element(out, "Version", metrics.version);
    put_boolean(out, "Enabled", metrics.is_enabled);
    if (metrics.is_enabled) {
        put_boolean(out, "IncludeAPIs", metrics.includes_apis);
    }
    put_retention(out, metrics.retention);
}

} // namespace

void append_properties(std::string& out, const service_properties& properties) {
    text_sink sink(out);
    sink.put(R"(<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties>)");
    put_logging(sink, properties.logging);
    sink.put("<HourMetrics>");
    put_metrics(sink, properties.hour_metrics);
    sink.put("</HourMetrics><MinuteMetrics>");
    put_metrics(sink, properties.minute_metrics);
    sink.put("</MinuteMetrics>");
    put_cors(sink, properties.cors);
    sink.put("</StorageServiceProperties>");
}

} // namespace service
