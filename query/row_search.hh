// The first rows of an answer that one shard has: its partitions, one after the other, in as few calls of the engine as can be.
//
// What has been found so far narrows what is looked for in the partitions to come: of a thousand even series, newest first, the
// first gives all rows of a page, the second half of them, and the last one a thousandth.
#pragma once

#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "blobs/log_store.hh"
#include "query/control.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/row_collector.hh"
#include "tables/engine.hh"

namespace query {

// What one shard is to look through. Everything borrowed is the asking shard's and is only read.
struct search_part {
    uint32_t part = 0;
    const std::vector<std::string>* partitions = nullptr; // in key order, all of them this shard's
};
struct row_search {
    const query::plan* plan = nullptr;
    std::vector<search_part> parts;
    time_range range;
    size_t rows_max = 0;
};

// What a shard has rows in. Without a log store there are no sources.
struct row_stores {
    tables::engine& tables;
    blobs::log_store* logs = nullptr;
};

// On the shard that owns the partitions, with its stores. All that is borrowed must outlive the future.
seastar::future<result<std::vector<part_batch>>> search_rows(row_stores, row_search, control&);

} // namespace query
