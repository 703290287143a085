#include "ingest/core/point_builder.hh"

#include "ingest/core/limits.hh"

namespace ingest {

void point_builder::clear() {
    _point = {};
    _tags.clear();
    _fields.clear();
    _tag_names.clear();
    _texts.reset();
}

line_fault point_builder::set_family(std::string_view name) {
    if (name.empty()) {
        return line_fault::missing_family;
    }
    if (name.size() > family_name_bytes_max) {
        return line_fault::family_name_too_long;
    }
    _point.family = name;
    return line_fault::none;
}

line_fault point_builder::add_tag(std::string_view name, std::string_view value) {
    if (name.empty()) {
        return line_fault::missing_tag_name;
    }
    if (value.empty()) {
        return line_fault::missing_tag_value;
    }
    if (name.size() > tag_name_bytes_max) {
        return line_fault::tag_name_too_long;
    }
    if (_tags.size() == tags_max) {
        return line_fault::too_many_tags;
    }
    const auto index = static_cast<uint32_t>(_tags.size());
    if (_tag_names.insert(name, index, [this](uint32_t i) { return _tags[i].name; }) != index) {
        return line_fault::duplicate_tag;
    }
    _tags.push_back({name, value});
    return line_fault::none;
}

const point_view& point_builder::finish() {
    _point.tags = _tags;
    _point.fields = _fields.all();
    return _point;
}

} // namespace ingest
