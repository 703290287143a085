// One page of entities as JSON: for a query by itself and for one inside a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace service {

struct entity_set {
    std::string json;
    std::optional<std::string> next_partition_key; // tokens; both or none
    std::optional<std::string> next_row_key;
    uint64_t rows_examined = 0;
    uint64_t blocks_read = 0;
};

} // namespace service
