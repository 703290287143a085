// Why a line was not taken: one list for all intake protocols, so that the reasons can be counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ingest {

enum class line_fault : uint8_t {
    none,
    line_too_long,
    not_utf8,
    // points
    missing_family,
    family_name_too_long,
    missing_tag_name,
    missing_tag_value,
    invalid_tag, // an unescaped '=' in the value
    tag_name_too_long,
    duplicate_tag,
    too_many_tags,
    missing_fields,
    missing_field_name,
    missing_field_value,
    field_name_too_long,
    too_many_fields,
    invalid_value,
    value_out_of_range,
    unsigned_out_of_range, // fits 64 bits without a sign, not with one
    unterminated_string,
    text_after_string,
    invalid_time,
    time_out_of_range,
    text_after_time,
    series_too_long,        // all tags together do not fit a PartitionKey
    property_name_too_long, // of a field, once escaped
    // JSON lines
    invalid_json,
    json_too_deep,
    not_an_object,
    invalid_member, // of another type than it must be, or not one of those a point has
    missing_source,
    // what has no place here
    entity_too_large, // with its series and time, or one of its texts
    point_expired,    // of a period that was dropped
    point_in_future,
    too_many_families,
    too_many_periods,
    too_many_series,
    unfinished_line, // the sender went away in the middle of it
    // records
    source_too_long,
    too_many_sources,
    record_too_large, // with its fields
    not_a_record,     // a point, where only records go
    no_log_storage,
};
constexpr size_t line_faults_count = static_cast<size_t>(line_fault::no_log_storage) + 1;

// For a person.
std::string_view reason(line_fault);
// For a label of metrics: the name it has here.
std::string_view name(line_fault);

// A line that was not taken. Lines are counted from 1 over the life of a parser, blank ones and comments too; one that
// holds line breaks inside a quoted string has the number it begins on.
struct bad_line {
    uint64_t line = 0;
    line_fault fault = line_fault::none;

    bool operator==(const bad_line&) const = default;
};

} // namespace ingest
