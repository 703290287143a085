// What one shard has of a log source for a plan, as rows or added up.
#pragma once

#include <functional>
#include <string>

#include <seastar/core/future.hh>

#include "blobs/log_store.hh"
#include "query/control.hh"
#include "query/core/native/aggregator.hh"
#include "query/core/native/plan.hh"

namespace query {

struct record_search {
    const query::plan* plan = nullptr;
    uint32_t part = 0; // of the plan; its origin is a source
    time_range range;
    size_t rows_max = SIZE_MAX; // of one buffer or blob: they come in the plan's order
    // What of the range still matters.
    std::function<time_range()> wanted;
    // Takes a row batch; how many bytes are then held for the query.
    std::function<result<size_t>(std::string)> take;
    // Now and then, for what needs some time: how many bytes are held when it is done. None: there is nothing to do.
    std::function<seastar::future<size_t>()> settle;
};

// On this shard. What is borrowed outlives the future.
seastar::future<result<void>> search_records(blobs::log_store&, record_search, control&);
seastar::future<result<void>> sum_records(blobs::log_store&, const plan&, uint32_t part, time_range, aggregator&, control&);

} // namespace query
