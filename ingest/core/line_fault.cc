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
    case line_fault::entity_too_large: return "the point is larger than 1 MiB, or one of its texts than 32,768 characters";
    case line_fault::point_expired:
        return "the time lies before the end of a period that has been dropped, or is older than what is kept";
    case line_fault::point_in_future: return "the time is more than a day ahead";
    case line_fault::too_many_families: return "there are 10,000 measurements or families already, and this is another one";
    case line_fault::too_many_periods: return "its measurement or family has 4,000 periods already, and this is another one";
    case line_fault::too_many_series:
        return "its measurement or family has as many series as it may have, and this is another one";
    case line_fault::unfinished_line: return "the connection ended in the middle of the line";
    case line_fault::source_too_long: return "the name of a source is longer than 255 bytes";
    case line_fault::too_many_sources: return "there are as many sources as there can be, and this is another one";
    case line_fault::record_too_large: return "the record is larger than 1 MiB, or what was read out of it is";
    case line_fault::not_a_record: return "this is a point, and only records go here";
    case line_fault::no_log_storage: return "log records cannot be stored here";
    }
    return "unknown";
}

std::string_view name(line_fault fault) {
    switch (fault) {
    case line_fault::none: return "none";
    case line_fault::line_too_long: return "line_too_long";
    case line_fault::not_utf8: return "not_utf8";
    case line_fault::missing_family: return "missing_family";
    case line_fault::family_name_too_long: return "family_name_too_long";
    case line_fault::missing_tag_name: return "missing_tag_name";
    case line_fault::missing_tag_value: return "missing_tag_value";
    case line_fault::invalid_tag: return "invalid_tag";
    case line_fault::tag_name_too_long: return "tag_name_too_long";
    case line_fault::duplicate_tag: return "duplicate_tag";
    case line_fault::too_many_tags: return "too_many_tags";
    case line_fault::missing_fields: return "missing_fields";
    case line_fault::missing_field_name: return "missing_field_name";
    case line_fault::missing_field_value: return "missing_field_value";
    case line_fault::field_name_too_long: return "field_name_too_long";
    case line_fault::too_many_fields: return "too_many_fields";
    case line_fault::invalid_value: return "invalid_value";
    case line_fault::value_out_of_range: return "value_out_of_range";
    case line_fault::unsigned_out_of_range: return "unsigned_out_of_range";
    case line_fault::unterminated_string: return "unterminated_string";
    case line_fault::text_after_string: return "text_after_string";
    case line_fault::invalid_time: return "invalid_time";
    case line_fault::time_out_of_range: return "time_out_of_range";
    case line_fault::text_after_time: return "text_after_time";
    case line_fault::series_too_long: return "series_too_long";
    case line_fault::property_name_too_long: return "property_name_too_long";
    case line_fault::invalid_json: return "invalid_json";
    case line_fault::json_too_deep: return "json_too_deep";
    case line_fault::not_an_object: return "not_an_object";
    case line_fault::invalid_member: return "invalid_member";
    case line_fault::missing_source: return "missing_source";
    case line_fault::entity_too_large: return "entity_too_large";
    case line_fault::point_expired: return "point_expired";
    case line_fault::point_in_future: return "point_in_future";
    case line_fault::too_many_families: return "too_many_families";
    case line_fault::too_many_periods: return "too_many_periods";
    case line_fault::too_many_series: return "too_many_series";
    case line_fault::unfinished_line: return "unfinished_line";
    case line_fault::source_too_long: return "source_too_long";
    case line_fault::too_many_sources: return "too_many_sources";
    case line_fault::record_too_large: return "record_too_large";
    case line_fault::not_a_record: return "not_a_record";
    case line_fault::no_log_storage: return "no_log_storage";
    }
    return "unknown";
}

} // namespace ingest
