// Puts a point together under the rules all metric protocols share: bounds, no tag twice, the last of two fields of one name.
// Reused from point to point, and by any number of parsers that take turns (one for each shard is enough): in steady state
// nothing is allocated.
#pragma once

#include <array>
#include <vector>

#include "base/text_arena.hh"
#include "ingest/core/field_list.hh"
#include "ingest/core/field_names.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/name_set.hh"
#include "ingest/core/point.hh"

namespace ingest {

class point_builder {
public:
    // Forgets the point before this one.
    void clear();

    // For texts of the point that are nowhere as they should be; they live until clear().
    base::text_arena& texts() { return _texts; }

    // Each keeps the views it is given, or says what is wrong with them.
    line_fault set_family(std::string_view name);
    line_fault add_tag(std::string_view name, std::string_view value);
    line_fault add_field(std::string_view name, const tables::value& value) { return _fields.add(name, value); }
    field_list& fields() { return _fields; }
    // What a line of this family had the last time, or of another one: for parsers to look at first.
    field_names& names_before() { return _names[name_set::hash(_point.family) % families_count]; }
    void set_raw_tags(std::string_view bytes) { _point.raw_tags = bytes; }
    void set_series(series_key* series) { _point.series = series; }
    // The fields as they are now become those of the lines before.
    void learn_names(field_names& names) { names.learn(_fields.all(), ++_lists_count); }
    void set_names(uint64_t serial) { _point.names = serial; }
    void set_time(int64_t ns) { _point.time_ns = ns; }

    // Borrows from this object; good until clear().
    const point_view& finish();

private:
    static constexpr size_t families_count = 64;

    point_view _point;
    std::vector<tag> _tags;
    name_set _tag_names;
    field_list _fields;
    std::array<field_names, families_count> _names;
    uint64_t _lists_count = 0; // that were learnt
    base::text_arena _texts;
};

} // namespace ingest
