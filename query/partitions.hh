// Which partitions a table has. The engine gives rows in key order, so this is a walk that jumps: some rows, and when they end
// inside a partition, on with the one behind it. Small partitions are read to their end, many in one call; of large ones about 256
// rows are looked at, in a call each. So it costs by the number of partitions, and every question over a family pays it: a list of
// partitions from the engine itself would take its place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "query/control.hh"
#include "query/core/native/plan.hh"
#include "tables/engine.hh"

namespace query {

// Asked for each partition (collated key) with one of its newest rows, all its columns if `with_columns`. False ends the walk.
using partition_visitor = std::function<bool(const tables::batch_row&)>;

struct partition_walk {
    base::table_id table;
    std::string from; // collated
    bool with_columns = false;
};

// `control` and what the visitor uses must outlive the future.
seastar::future<result<void>> visit_partitions(tables::engine&, partition_walk, control&, partition_visitor);

// Those of a part that can have rows for the plan, by owner shard, each list in key order. `plan` and `control` must outlive the
// future.
using partitions_by_shard = std::vector<std::vector<std::string>>;
seastar::future<result<partitions_by_shard>> find_partitions(tables::engine&, const plan&, uint32_t part, control&);

} // namespace query
