// All rows that one shard has for a plan, added up.
#pragma once

#include <memory>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "query/control.hh"
#include "query/core/native/aggregator.hh"
#include "query/row_search.hh"
#include "tables/engine.hh"

namespace query {

struct aggregate_scan {
    const query::plan* plan = nullptr;
    std::vector<uint32_t> parts; // newest first, as rates need them
    time_range range;
    size_t exact_bytes_max = 0;
};

// On each shard. Whoever gets the sums reads them where they are and gives them back to be freed there.
using foreign_aggregator = seastar::foreign_ptr<std::unique_ptr<aggregator>>;
seastar::future<result<foreign_aggregator>> scan_aggregates(row_stores, aggregate_scan, control&);

} // namespace query
