// Puts a point together under the rules all metric protocols share: bounds, no tag twice, the last of two fields of one name.
// Reused from point to point: in steady state nothing is allocated.
#pragma once

#include <vector>

#include "ingest/core/limits.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/name_set.hh"
#include "ingest/core/point.hh"
#include "ingest/core/text_arena.hh"

namespace ingest {

class point_builder {
public:
    // Forgets the point before this one.
    void clear();

    // For texts of the point that are nowhere as they should be; they live until clear().
    text_arena& texts() { return _texts; }

    // Each keeps the views it is given, or says what is wrong with them.
    line_fault set_family(std::string_view name);
    line_fault add_tag(std::string_view name, std::string_view value);
    line_fault add_field(std::string_view name, const tables::value&);
    void set_raw_tags(std::string_view bytes) { _point.raw_tags = bytes; }
    void set_time(int64_t ns) { _point.time_ns = ns; }

    // Borrows from this object; good until clear().
    const point_view& finish();

private:
    point_view _point;
    std::vector<tag> _tags;
    std::vector<tables::property> _fields;
    name_set _tag_names;
    name_set _field_names;
    text_arena _texts;
};

// In the header: the value is made in place.
inline line_fault point_builder::add_field(std::string_view name, const tables::value& value) {
    if (name.empty()) {
        return line_fault::missing_field_name;
    }
    if (name.size() > field_name_bytes_max) {
        return line_fault::field_name_too_long;
    }
    const auto index = static_cast<uint32_t>(_fields.size());
    // A name too many may enter the set: the line is given up in that case.
    if (const auto same = _field_names.insert(name, index, [this](uint32_t i) { return _fields[i].name; }); same != index) {
        _fields[same].value = value;
        return line_fault::none;
    }
    if (_fields.size() == fields_max) {
        return line_fault::too_many_fields;
    }
    _fields.emplace_back(name, value);
    return line_fault::none;
}

} // namespace ingest
