// One page of entities as JSON: for a query by itself and for one inside a batch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <seastar/core/future.hh>

#include "service/core/request_options.hh"
#include "service/table_call.hh"
#include "tables/engine.hh"

namespace service {

struct entity_set {
    std::string json;
    std::optional<std::string> next_partition_key; // tokens; both or none
    std::optional<std::string> next_row_key;
    uint64_t rows_examined = 0;
    uint64_t blocks_read = 0;
};

// `call` and `table_name` must outlive the future.
seastar::future<outcome<entity_set>> query_set(tables::engine&, const table_call& call, base::table_id, std::string_view table_name,
                                               query_options);

} // namespace service
