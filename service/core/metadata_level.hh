// How much OData beside the values a reply carries, as Accept or $format ask for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace service {

enum class metadata_level : uint8_t {
    none,    // values only
    minimal, // type annotations that JSON needs, ETags, the metadata URL
    full,    // and type, id and edit link of each entity
};

// Of every JSON reply at that level, errors included.
constexpr std::string_view content_type_of(metadata_level level) {
    switch (level) {
    case metadata_level::none: return "application/json;odata=nometadata;streaming=true;charset=utf-8";
    case metadata_level::minimal: break;
    case metadata_level::full: return "application/json;odata=fullmetadata;streaming=true;charset=utf-8";
    }
    return "application/json;odata=minimalmetadata;streaming=true;charset=utf-8";
}

} // namespace service
