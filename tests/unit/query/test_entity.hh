// An entity that owns its bytes.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tables/core/row.hh"

namespace query_test {

class test_entity {
public:
    test_entity(std::string partition_key, std::string row_key, base::tick timestamp, std::vector<tables::property> properties)
        : _partition_key(std::move(partition_key)), _row_key(std::move(row_key)), _timestamp(timestamp) {
        std::ranges::sort(properties, {}, &tables::property::name);
        _shape = tables::shape_of(properties);
        tables::pack_row(properties, _bytes);
    }

    tables::entity_view view() const { return {_partition_key, _row_key, _timestamp, tables::row_view(_shape, _bytes)}; }

private:
    std::string _partition_key;
    std::string _row_key;
    base::tick _timestamp;
    tables::shape _shape;
    std::string _bytes;
};

} // namespace query_test
