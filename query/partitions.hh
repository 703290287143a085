// Which partitions of a table can have rows for a query. Each shard lists its own, from the engine's partition directories.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "query/control.hh"
#include "query/core/native/plan.hh"
#include "query/series_indexes.hh"
#include "tables/engine.hh"

namespace query {

struct found_partition {
    std::string key;  // collated
    time_range times; // no row lies outside
};

// The partitions that `partition=` names, collated: a series over all its buckets, or the one of a plain table.
std::vector<std::string> named_keys(const table_part&, const std::string& name);

// What a shard finds partitions with.
struct partition_sources {
    tables::engine& tables;
    series_indexes& series;
    seastar::scheduling_group group; // of walks over all partitions
};

// Those of this shard with rows in the range that `partition=` and the tags asked for let through; in key order. `plan` and
// `control` must outlive the future.
seastar::future<result<std::vector<found_partition>>> find_partitions(partition_sources, const plan&, uint32_t part, time_range,
                                                                      control&);

// Asked for each partition of the table, with its first row; false ends the walk. `control` and what the visitor uses must
// outlive the future.
using partition_visitor = std::function<bool(const tables::batch_row&)>;
seastar::future<result<void>> visit_partitions(seastar::sharded<tables::engine>&, base::table_id, control&, partition_visitor);

} // namespace query
