// Rows cut down to some of their properties. What is cut from a shape is worked out once for each shape.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tables/core/row.hh"

namespace tables {

class projection {
public:
    explicit projection(std::vector<std::string> names);

    // Borrowed until the next call. The row's shape must outlive this object.
    row_view apply(const row_view&);

private:
    struct plan {
        tables::shape shape;
        std::vector<size_t> picked; // columns of the whole shape
    };

    const plan& plan_for(const shape&);

    std::vector<std::string> _names; // sorted
    std::unordered_map<const shape*, plan> _plans;
    std::vector<property> _properties;
    std::string _packed;
};

} // namespace tables
