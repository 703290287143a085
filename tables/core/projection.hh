// Rows cut down to some of their properties. What is cut from a shape is worked out once for each shape, which is known again by
// what it is: where it lies there may be another one the next time.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tables/core/row.hh"

namespace tables {

class projection {
public:
    explicit projection(std::vector<std::string> names);

    // Borrowed until the next call.
    row_view apply(const row_view&);

private:
    struct plan {
        tables::shape whole;
        tables::shape shape;
        std::vector<size_t> picked; // columns of the whole shape
    };

    const plan& plan_for(const shape&);

    std::vector<std::string> _names;           // sorted
    std::unordered_map<uint64_t, plan> _plans; // by the hash of the whole shape
    std::vector<property> _properties;
    std::string _packed;
};

} // namespace tables
