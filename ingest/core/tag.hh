// One tag of a point, borrowed.
#pragma once

#include <string_view>

namespace ingest {

struct tag {
    std::string_view name;
    std::string_view value;

    bool operator==(const tag&) const = default;
};

} // namespace ingest
