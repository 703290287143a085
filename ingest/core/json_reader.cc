#include "ingest/core/json_reader.hh"

#include <simdjson.h>

#include "base/level.hh"
#include "ingest/core/unix_time.hh"

namespace ingest {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

// A parser that had to grow beyond this for one text is not kept. Its largest array has 8 bytes for each byte of text.
constexpr size_t kept_capacity_max = size_t{15} << 10;

std::string_view json_text(const element& e, base::text_arena& texts) {
    return texts.concat({simdjson::to_string(e)});
}

// A text as it is; anything else but null as its JSON text.
std::string_view text_of(const element& e, base::text_arena& texts) {
    if (e.is_string()) {
        return e.get_string().value_unsafe();
    }
    return e.is_null() ? std::string_view() : json_text(e, texts);
}

bool is_scalar(const element& e) {
    return !e.is_object() && !e.is_array();
}

std::expected<int64_t, line_fault> time_of(const element& e) {
    switch (e.type()) {
    case element_type::INT64: return unix_time_ns(e.get_int64().value_unsafe());
    case element_type::DOUBLE: return unix_time_ns(e.get_double().value_unsafe());
    case element_type::STRING: return parse_time_text(e.get_string().value_unsafe());
    case element_type::UINT64: return std::unexpected(line_fault::time_out_of_range);
    default: return std::unexpected(line_fault::invalid_time);
    }
}

// Null: nothing to add.
line_fault add_scalar(field_list& fields, std::string_view name, const element& e) {
    switch (e.type()) {
    case element_type::INT64: return fields.add(name, tables::value::of_int64(e.get_int64().value_unsafe()));
    case element_type::DOUBLE: return fields.add(name, tables::value::of_real(e.get_double().value_unsafe()));
    case element_type::BOOL: return fields.add(name, tables::value::of_boolean(e.get_bool().value_unsafe()));
    case element_type::STRING: return fields.add(name, tables::value::of_string(e.get_string().value_unsafe()));
    case element_type::UINT64: return line_fault::unsigned_out_of_range;
    case element_type::NULL_VALUE: return line_fault::none;
    default: return line_fault::invalid_value;
    }
}

} // namespace

json_reader::json_reader(point_builder& point, record_builder& record) : _point(point), _record(record) {}

json_reader::~json_reader() = default;

line_step json_reader::read(std::string_view text, size_t readable_behind) {
    object members;
    _fault = parse(text, readable_behind, members);
    if (_fault != line_fault::none) {
        return line_step::bad_line;
    }
    const bool is_point = members.at_key("family").error() == simdjson::SUCCESS;
    _fault = is_point ? read_point(members) : read_record(members);
    if (_fault != line_fault::none) {
        return line_step::bad_line;
    }
    return is_point ? line_step::point : line_step::record;
}

line_fault json_reader::parse(std::string_view text, size_t readable_behind, object& members) {
    if (!_parser || (_parser->capacity() > kept_capacity_max && text.size() <= kept_capacity_max)) {
        _parser = std::make_unique<simdjson::dom::parser>();
        std::string().swap(_padded); // an assignment would keep its memory
        if (_parser->allocate(kept_capacity_max, json_depth_max) != simdjson::SUCCESS) {
            throw std::bad_alloc(); // nothing is wrong with the line
        }
    }
    if (readable_behind < simdjson::SIMDJSON_PADDING) {
        _padded.assign(text);
        _padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
        text = std::string_view(_padded).substr(0, text.size());
    }
    element root;
    switch (_parser->parse(text.data(), text.size(), false).get(root)) {
    case simdjson::SUCCESS: break;
    case simdjson::DEPTH_ERROR: return line_fault::json_too_deep;
    case simdjson::UTF8_ERROR: return line_fault::not_utf8;
    case simdjson::MEMALLOC: throw std::bad_alloc();
    case simdjson::BIGINT_ERROR: return line_fault::value_out_of_range;
    default: return line_fault::invalid_json;
    }
    return root.get_object().get(members) == simdjson::SUCCESS ? line_fault::none : line_fault::not_an_object;
}

line_fault json_reader::read_point(const object& members) {
    _point.clear();
    for (const auto& [name, value] : members) {
        if (const auto fault = read_point_member(name, value); fault != line_fault::none) {
            return fault;
        }
    }
    return _point.finish().fields.empty() ? line_fault::missing_fields : line_fault::none;
}

line_fault json_reader::read_point_member(std::string_view name, const element& value) {
    if (name == "family") {
        return value.is_string() ? _point.set_family(value.get_string().value_unsafe()) : line_fault::invalid_member;
    }
    if (name == "tags") {
        return read_tags(value);
    }
    if (name == "fields") {
        return read_fields(value);
    }
    if (name != "time") {
        return line_fault::invalid_member;
    }
    if (value.is_null()) {
        return line_fault::none;
    }
    const auto time = time_of(value);
    if (!time) {
        return time.error();
    }
    _point.set_time(*time);
    return line_fault::none;
}

line_fault json_reader::read_tags(const element& tags) {
    object members;
    if (tags.get_object().get(members) != simdjson::SUCCESS) {
        return tags.is_null() ? line_fault::none : line_fault::invalid_member;
    }
    for (const auto& [name, value] : members) {
        if (!is_scalar(value)) {
            return line_fault::invalid_member;
        }
        const auto text = text_of(value, _point.texts());
        if (text.empty()) {
            continue;
        }
        if (const auto fault = _point.add_tag(name, text); fault != line_fault::none) {
            return fault;
        }
    }
    return line_fault::none;
}

line_fault json_reader::read_fields(const element& fields) {
    object members;
    if (fields.get_object().get(members) != simdjson::SUCCESS) {
        return fields.is_null() ? line_fault::none : line_fault::invalid_member;
    }
    for (const auto& [name, value] : members) {
        if (const auto fault = add_scalar(_point.fields(), name, value); fault != line_fault::none) {
            return fault;
        }
    }
    return line_fault::none;
}

line_fault json_reader::read_record(const object& members) {
    _record.clear();
    for (const auto& [name, value] : members) {
        if (value.is_null()) {
            continue;
        }
        if (const auto fault = read_record_member(name, value); fault != line_fault::none) {
            return fault;
        }
    }
    return line_fault::none;
}

line_fault json_reader::read_record_member(std::string_view name, const element& value) {
    auto& head = _record.head();
    if (name == "message") {
        head.message = text_of(value, _record.texts());
        return line_fault::none;
    }
    if (name == "source" || name == "host" || name == "app") {
        auto& member = name == "source" ? head.source : name == "host" ? head.host : head.app;
        member = text_of(value, _record.texts());
        return is_scalar(value) ? line_fault::none : line_fault::invalid_member;
    }
    if (name == "time") {
        const auto time = time_of(value);
        head.time_ns = time ? std::optional(*time) : std::nullopt;
        return time ? line_fault::none : time.error();
    }
    if (name == "level") {
        return read_level(value);
    }
    if (name == "fields" && value.is_object()) {
        return add_record_fields("", value.get_object().value_unsafe());
    }
    return add_record_field(name, value);
}

void json_reader::move_source_to_fields(std::string_view source) {
    auto& head = _record.head();
    if (!head.source.empty() && head.source != source && _record.fields().find("source") == nullptr) {
        // Where there is no room for it, the text of the record still has it.
        (void)_record.fields().add("source", tables::value::of_string(head.source));
    }
    head.source = {};
}

line_fault json_reader::read_level(const element& value) {
    int64_t number = -1;
    if (value.is_string()) {
        number = base::parse_level(value.get_string().value_unsafe()).value_or(-1);
    } else if (value.is_int64()) {
        number = value.get_int64().value_unsafe();
    }
    if (number < 0 || number > 7) {
        return add_record_field("level", value);
    }
    _record.head().level = static_cast<uint8_t>(number);
    return line_fault::none;
}

line_fault json_reader::add_record_fields(std::string_view prefix, const object& members) {
    for (const auto& [key, value] : members) {
        const auto name = prefix.empty() ? key : _record.texts().concat({prefix, ".", key});
        if (const auto fault = add_record_field(name, value); fault != line_fault::none) {
            return fault;
        }
    }
    return line_fault::none;
}

// Calls itself for objects in objects: json_depth_max bounds that.
line_fault json_reader::add_record_field(std::string_view name, const element& value) {
    // Identifiers of 64 bits without a sign are as good as a text: no record is lost for them.
    if (value.is_array() || value.type() == element_type::UINT64) {
        return _record.fields().add(name, tables::value::of_string(json_text(value, _record.texts())));
    }
    if (!value.is_object()) {
        return add_scalar(_record.fields(), name, value);
    }
    // It can only get longer: stop before the copies do.
    if (name.size() > field_name_bytes_max) {
        return line_fault::field_name_too_long;
    }
    return add_record_fields(name, value.get_object().value_unsafe());
}

} // namespace ingest
