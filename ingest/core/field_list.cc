#include "ingest/core/field_list.hh"

#include <algorithm>

namespace ingest {

tables::value* field_list::find(std::string_view name) {
    const auto it = std::ranges::find(_fields, name, &tables::property::name);
    return it == _fields.end() ? nullptr : &it->value;
}

} // namespace ingest
