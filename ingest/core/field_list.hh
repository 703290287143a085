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
        _listed_count = 0;
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
        for (; _listed_count < index; ++_listed_count) [[unlikely]] {
            list(_fields[_listed_count].name, _listed_count);
        }
        if (const auto same = list(name, index); same != index) {
            _fields[same].value = value;
            return line_fault::none;
        }
        // Only now, since a name that comes again is no further field. The list is then given up, and its names with it.
        if (_fields.size() == fields_max) {
            return line_fault::too_many_fields;
        }
        _fields.emplace_back(name, value);
        ++_listed_count;
        return line_fault::none;
    }

    // A name that is known to be good, and not to be in the list. Needs room: at most fields_max in all.
    void add_new(std::string_view name, const tables::value& value) { _fields.emplace_back(name, value); }

    // The value of a name that was added, to look at or change; or null.
    tables::value* find(std::string_view name);

    std::span<const tables::property> all() const { return _fields; }

private:
    // The index that an equal name was listed with, or this one.
    uint32_t list(std::string_view name, uint32_t index) {
        return _names.insert(name, index, [this](uint32_t i) { return _fields[i].name; });
    }

    std::vector<tables::property> _fields;
    name_set _names; // of the first _listed_count fields
    uint32_t _listed_count = 0;
};

} // namespace ingest
