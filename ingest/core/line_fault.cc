#include "ingest/core/line_fault.hh"

namespace ingest {

std::string_view reason(line_fault fault) {
    switch (fault) {
    case line_fault::none: return "nothing is wrong";
    case line_fault::line_too_long: return "the line is longer than 1 MiB";
    case line_fault::not_utf8: return "the line is not valid UTF-8";
    case line_fault::missing_family: return "the name of the measurement or family is missing";
    case line_fault::family_name_too_long: return "the name of the measurement or family is longer than 255 bytes";
    case line_fault::missing_tag_name: return "a tag has no name";
    case line_fault::missing_tag_value: return "a tag has no value";
    case line_fault::invalid_tag: return "a tag value holds '=' without a backslash before it";
    case line_fault::tag_name_too_long: return "a tag name is longer than 255 bytes";
    case line_fault::duplicate_tag: return "a tag name comes twice";
    case line_fault::too_many_tags: return "more than 64 tags";
    case line_fault::missing_fields: return "there are no fields";
    case line_fault::missing_field_name: return "a field has no name";
    case line_fault::missing_field_value: return "a field has no value";
    case line_fault::field_name_too_long: return "a field name is longer than 255 bytes";
    case line_fault::too_many_fields: return "more than 252 fields";
    case line_fault::invalid_value: return "a field value is not a number, a boolean or a quoted string";
    case line_fault::value_out_of_range: return "a number is out of range";
    case line_fault::unsigned_out_of_range: return "an unsigned integer is above 9223372036854775807";
    case line_fault::unterminated_string: return "a quoted string has no end";
    case line_fault::text_after_string: return "text follows a quoted string";
    case line_fault::invalid_time: return "the time is not a whole number or a date";
    case line_fault::time_out_of_range: return "the time is outside the years 1677 to 2262";
    case line_fault::text_after_time: return "text follows the time";
    case line_fault::series_too_long: return "the tags together are longer than 509 characters";
    case line_fault::property_name_too_long: return "a field name is longer than 255 characters once escaped";
    case line_fault::invalid_json: return "the line is not valid JSON";
    case line_fault::json_too_deep: return "the JSON is nested more than 32 deep";
    case line_fault::not_an_object: return "the line is not a JSON object";
    case line_fault::invalid_member: return "a member is unknown or has the wrong type";
    case line_fault::missing_source: return "the record names no source";
    }
    return "unknown";
}

} // namespace ingest
