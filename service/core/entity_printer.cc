#include "service/core/entity_printer.hh"

#include <cmath>

#include "service/core/base64.hh"
#include "service/core/edm_text.hh"
#include "service/core/json_text.hh"
#include "service/core/resource_url.hh"
#include "service/core/time_text.hh"

namespace service {
namespace {

// Every member is written with what separates it from the one before: '{' for the first, ',' for the others. The functions
// here return the separator of the next.
constexpr char next_lead = ',';

bool needs_annotation(const tables::value& value) {
    switch (value.type()) {
    case tables::value_type::int64:
    case tables::value_type::datetime:
    case tables::value_type::guid:
    case tables::value_type::binary: return true;
    case tables::value_type::real: return !std::isfinite(value.as_real()); // written as a string
    default: return false;
    }
}

void put_real(text_sink& out, double value) {
    if (std::isfinite(value)) {
        return put_json_real(out, value);
    }
    out.put(std::isnan(value) ? R"("NaN")" : value > 0 ? R"("Infinity")" : R"("-Infinity")");
}

void put_value(text_sink& out, const tables::value& value) {
    using enum tables::value_type;
    switch (value.type()) {
    case string: return put_json_string(out, value.as_string());
    case int32: return out.put_number(value.as_int32());
    case real: return put_real(out, value.as_real());
    case boolean: return out.put(value.as_boolean() ? std::string_view("true") : std::string_view("false"));
    default: break;
    }
    out.put('"');
    switch (value.type()) {
    case int64: out.put_number(value.as_int64()); break;
    case datetime: put_time(out, value.as_datetime()); break;
    case guid: put_guid(out, value.as_guid()); break;
    case binary: put_base64(out, value.as_binary()); break;
    default: break;
    }
    out.put('"');
}

void put_name(text_sink& out, char lead, std::string_view name) {
    out.put(lead);
    out.put('"');
    put_json_text(out, name);
}

char put_property(text_sink& out, char lead, const tables::property& property, bool is_annotated) {
    if (is_annotated && needs_annotation(property.value)) {
        put_name(out, lead, property.name);
        out.put(R"(@odata.type":")");
        out.put(edm_name(property.value.type()));
        out.put('"');
        lead = next_lead;
    }
    put_name(out, lead, property.name);
    out.put(R"(":)");
    put_value(out, property.value);
    return next_lead;
}

void put_etag_text(text_sink& out, base::tick timestamp, std::string_view quote) {
    out.put("W/");
    out.put(quote);
    out.put("datetime'");
    put_time(out, timestamp, fraction::cut, "%3A");
    out.put('\'');
    out.put(quote);
}

// What follows the table in the metadata URL: the list as given, with blanks escaped.
std::string select_suffix(const selection& selected) {
    return selected.text().empty() ? std::string() : text_of([&](text_sink& out) {
        out.put("&$select=");
        for (const char c : selected.text()) {
            c == ' ' ? out.put("%20") : put_json_text(out, {&c, 1});
        }
    });
}

} // namespace

void put_etag(text_sink& out, base::tick timestamp) {
    put_etag_text(out, timestamp, "\"");
}

entity_printer::entity_printer(const reply_context& context, std::string_view table, selection selected)
    : _level(context.level), _selection(std::move(selected)), _table(table) {
    if (_level == metadata_level::none) {
        _set_head = R"({"value":[)";
        return;
    }
    const auto base = text_of([&](text_sink& out) { put_json_text(out, context.base_url); });
    const auto metadata = R"({"odata.metadata":")" + base + "/$metadata#" + _table;
    const auto suffix = select_suffix(_selection);
    _set_head = metadata + suffix + R"(","value":[)";
    _element_head = metadata + "/@Element" + suffix + '"';
    _id_head.append(R"("odata.type":")").append(context.account).append(".").append(_table);
    _id_head.append(R"(","odata.id":")").append(base).append("/");
}

void entity_printer::begin_set(std::string& out) {
    out.append(_set_head);
    _has_items = false;
}

void entity_printer::end_set(std::string& out) const {
    out.append("]}");
}

void entity_printer::append_item(std::string& out, const tables::entity_view& entity) {
    text_sink sink(out);
    if (_has_items) {
        sink.put(',');
    }
    _has_items = true;
    put_object(sink, '{', entity);
}

void entity_printer::append_single(std::string& out, const tables::entity_view& entity) const {
    text_sink sink(out);
    sink.put(_element_head);
    put_object(sink, _element_head.empty() ? '{' : next_lead, entity);
}

// Everything behind what the caller has put, and the closing brace.
void entity_printer::put_object(text_sink& out, char lead, const tables::entity_view& entity) const {
    if (_level != metadata_level::none) {
        lead = put_odata_members(out, lead, entity);
    }
    lead = put_system_members(out, lead, entity);
    if (_selection.is_everything()) {
        const bool is_annotated = _level != metadata_level::none;
        for (size_t i = 0; i < entity.properties.size(); ++i) {
            lead = put_property(out, lead, entity.properties[i], is_annotated);
        }
    } else {
        lead = put_selected(out, lead, entity.properties);
    }
    if (lead == '{') {
        out.put('{');
    }
    out.put('}');
}

char entity_printer::put_odata_members(text_sink& out, char lead, const tables::entity_view& entity) const {
    const bool is_full = _level == metadata_level::full;
    if (is_full) {
        out.put(lead);
        out.put(_id_head);
        put_entity_path(out, _table, entity.partition_key, entity.row_key);
        out.put('"');
        lead = next_lead;
    }
    out.put(lead);
    out.put(R"("odata.etag":")");
    put_etag_text(out, entity.timestamp, R"(\")");
    out.put('"');
    if (is_full) {
        out.put(R"(,"odata.editLink":")");
        put_entity_path(out, _table, entity.partition_key, entity.row_key);
        out.put('"');
    }
    return next_lead;
}

char entity_printer::put_system_members(text_sink& out, char lead, const tables::entity_view& entity) const {
    using tables::value;
    if (_selection.has_partition_key()) {
        lead = put_property(out, lead, {"PartitionKey", value::of_string(entity.partition_key)}, false);
    }
    if (_selection.has_row_key()) {
        lead = put_property(out, lead, {"RowKey", value::of_string(entity.row_key)}, false);
    }
    if (_selection.has_timestamp()) {
        // At the minimal level an annotation here would change the type that JS makes of the value.
        const bool is_annotated = _level == metadata_level::full;
        lead = put_property(out, lead, {"Timestamp", value::of_datetime(entity.timestamp)}, is_annotated);
    }
    return lead;
}

// Both lists are sorted: one walk. A selected property that the entity lacks is null.
char entity_printer::put_selected(text_sink& out, char lead, const tables::row_view& row) const {
    const bool is_annotated = _level != metadata_level::none;
    size_t at = 0;
    for (const std::string& name : _selection.names()) {
        while (at < row.size() && row.of_shape()[at].name < name) {
            ++at;
        }
        if (at < row.size() && row.of_shape()[at].name == name) {
            lead = put_property(out, lead, row[at], is_annotated);
        } else {
            put_name(out, lead, name);
            out.put(R"(":null)");
            lead = next_lead;
        }
    }
    return lead;
}

} // namespace service
