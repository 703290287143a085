// GET /v1/tables: the tables there are, each with what it takes and when it will be dropped.
//
//   {"tables":[{"name","created"[,"family","period","start"],"rows","bytes","bytes_per_row","memory_bytes","files","oldest","newest",
//               "next_drop"}],"cursor":...}
#pragma once

#include <string>

#include <seastar/core/sharded.hh>

#include "compaction/retention.hh"
#include "http/router.hh"
#include "tables/engine.hh"

namespace server {

// On any shard; `keeper` lives on shard 0. All outlive the router.
void add_table_routes(http::router&, seastar::sharded<tables::engine>&, compaction::retention& keeper, std::string account);

} // namespace server
