// The fields of a point or record under construction: bounds, and of two values for one name the last.
#pragma once

#include <span>
#include <vector>

#include "ingest/core/limits.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/name_set.hh"
#include "tables/core/value.hh"

namespace ingest {

class field_list {
public:
    void clear() {
        _fields.clear();
        _names.clear();
    }

    // Keeps the views it is given, or says what is wrong with them. In the header so that the value is made in its place:
    // handed from function to function, its 48 bytes cost more than the number in it.
    line_fault add(std::string_view name, const tables::value& value) {
        if (name.empty()) {
            return line_fault::missing_field_name;
        }
        if (name.size() > field_name_bytes_max) {
            return line_fault::field_name_too_long;
        }
        const auto index = static_cast<uint32_t>(_fields.size());
        if (const auto same = _names.insert(name, index, [this](uint32_t i) { return _fields[i].name; }); same != index) {
            _fields[same].value = value;
            return line_fault::none;
        }
        // Only now, since a name that comes again is no further field. The list is then given up, and its names with it.
        if (_fields.size() == fields_max) {
            return line_fault::too_many_fields;
        }
        _fields.emplace_back(name, value);
        return line_fault::none;
    }

    // The value of a name that was added, to look at or change; or null.
    tables::value* find(std::string_view name);

    std::span<const tables::property> all() const { return _fields; }

private:
    std::vector<tables::property> _fields;
    name_set _names;
};

} // namespace ingest
