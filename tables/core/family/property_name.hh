// Field names as property names and back. A property name is an identifier, and % (the escape of series) cannot be in one; so the
// escape here is the one .NET has for XML names: _xHHHH_ for a character, _xHHHHHHHH_ for one beyond U+FFFF, upper case.
//
//   usage_user   stays            load-1   load_x002D_1            5m    _x0035_m
//   größe        stays            a_x0041_ a_x005F_x0041_          😀    _x0001F600_
//
// An underscore is escaped only where `x` and four upper-case hex digits follow it. The names of the system's own properties
// (PartitionKey, RowKey, Timestamp) have their first letter escaped.
#pragma once

#include <string>
#include <string_view>

namespace tables {

// True when the field's name is the property's: the usual case. May say no to one that is, with letters beyond ASCII.
bool is_plain_property_name(std::string_view field);

// Appends the property name of a field. False when it is too long or not UTF-8, so that no row can have it; `out` is then as it
// was. Needs: not empty.
bool append_property_name(std::string_view field, std::string& out);

// Appends the field name of a property. A name that no field has (a user's own row) is read as far as it has escapes.
void append_field_name(std::string_view property, std::string& out);

} // namespace tables
