#include "service/core/property_value.hh"

#include <cassert>

#include "service/core/base64.hh"
#include "service/core/edm_text.hh"
#include "service/core/time_text.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

using tables::value;

std::unexpected<service_error> bad_value() {
    return refuse(service_code::invalid_input, "An error occurred while processing this request.");
}

std::unexpected<service_error> out_of_range(std::string_view name, std::string_view text) {
    std::string message = "The '";
    message.append(name).append("' parameter of value '").append(text).append("' is out of range.");
    return refuse(service_code::out_of_range_input, std::move(message));
}

// A text that could not be read has no value.
template <class T, class Make>
outcome<value> made_from(const std::optional<T>& parsed, Make make) {
    return parsed ? outcome<value>(make(*parsed)) : bad_value();
}

bool fits_int32(int64_t number) {
    return number == static_cast<int32_t>(number);
}

outcome<value> infer_number(const json_member& m) {
    if (m.kind == json_kind::integer) {
        if (const auto number = parse_integer(m.text); number && fits_int32(*number)) {
            return value::of_int32(static_cast<int32_t>(*number));
        }
    }
    return made_from(parse_finite(m.text), value::of_real);
}

outcome<value> infer_value(const json_member& m) {
    switch (m.kind) {
    case json_kind::string: return value::of_string(m.text);
    case json_kind::boolean_true: return value::of_boolean(true);
    case json_kind::boolean_false: return value::of_boolean(false);
    case json_kind::integer:
    case json_kind::real: return infer_number(m);
    case json_kind::null: break;
    }
    assert(false);
    return bad_value();
}

outcome<value> int64_value(const json_member& m) {
    return m.kind == json_kind::integer || m.kind == json_kind::string ? made_from(parse_integer(m.text), value::of_int64)
                                                                       : bad_value();
}

outcome<value> int32_value(const json_member& m) {
    return int64_value(m).and_then([](const value& wide) -> outcome<value> {
        if (!fits_int32(wide.as_int64())) {
            return bad_value();
        }
        return value::of_int32(static_cast<int32_t>(wide.as_int64()));
    });
}

outcome<value> real_value(const json_member& m) {
    switch (m.kind) {
    case json_kind::string: return made_from(parse_real(m.text), value::of_real);
    case json_kind::integer:
    case json_kind::real: return made_from(parse_finite(m.text), value::of_real);
    default: return bad_value();
    }
}

outcome<value> boolean_value(const json_member& m) {
    switch (m.kind) {
    case json_kind::string: return made_from(parse_boolean(m.text), value::of_boolean);
    case json_kind::boolean_true:
    case json_kind::boolean_false: return infer_value(m);
    default: return bad_value();
    }
}

outcome<value> datetime_value(const json_member& m) {
    const auto time = parse_datetime(m.text);
    if (time && *time < base::datetime_min) {
        return out_of_range(m.name, text_of([&](text_sink& out) { put_us_time(out, *time); }));
    }
    return made_from(time, value::of_datetime);
}

// Decoded where it stands: three bytes for each four characters.
outcome<value> binary_value(const json_member& m, char* bytes) {
    char* const at = bytes + (m.text.data() - bytes);
    return made_from(decode_base64(m.text, at), [at](size_t size) { return value::of_binary({at, size}); });
}

outcome<value> typed_value(const json_member& m, tables::value_type type, char* bytes) {
    using enum tables::value_type;
    switch (type) {
    case int32: return int32_value(m);
    case int64: return int64_value(m);
    case real: return real_value(m);
    case boolean: return boolean_value(m);
    default: break;
    }
    // The rest is written as a string and nothing else.
    if (m.kind != json_kind::string) {
        return bad_value();
    }
    switch (type) {
    case string: return value::of_string(m.text);
    case datetime: return datetime_value(m);
    case guid: return made_from(parse_guid(m.text), value::of_guid);
    case binary: return binary_value(m, bytes);
    default: break;
    }
    assert(false);
    return bad_value();
}

} // namespace

outcome<value> property_value(const json_member& m, std::optional<std::string_view> type_name, char* bytes) {
    if (!type_name) {
        return infer_value(m);
    }
    const auto type = edm_type_of(*type_name);
    return type ? typed_value(m, *type, bytes) : refuse(service_code::invalid_input);
}

outcome<std::string_view> key_value(const json_member& m, std::optional<std::string_view> type_name) {
    if (m.kind != json_kind::string || (type_name && type_name != edm_name(tables::value_type::string))) {
        return refuse(service_code::invalid_input);
    }
    if (const auto checked = tables::check_key(m.text); !checked) {
        if (checked.error().code == base::errc::key_invalid) {
            return out_of_range(m.name, m.text);
        }
        return std::unexpected(to_service_error(checked.error()));
    }
    return m.text;
}

} // namespace service
