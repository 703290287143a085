// The first rows of an answer that one shard has.
//
// Newest first, partitions are visited by the time of their newest row: first that row of each, then, of those whose newest row
// is among the first of all, the rows behind it. What has been found so far narrows what is looked for, and a partition whose
// newest row is too old ends the search. Oldest first, partitions come by key, narrowed likewise.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <seastar/core/future.hh>

#include "blobs/log_store.hh"
#include "query/control.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/row_collector.hh"
#include "query/core/native/time_steps.hh"
#include "query/partitions.hh"
#include "tables/engine.hh"

namespace query {

// What each shard is to look through, of what it owns. The plan is the asking shard's and is only read.
struct row_search {
    const query::plan* plan = nullptr;
    std::vector<uint32_t> parts;
    time_range range;
    size_t rows_max = 0;
    std::optional<trial_bounds> bounds; // of a trial, which is given up when it takes more
};

// What a shard has rows in. Without a log store there are no sources.
struct row_stores {
    tables::engine& tables;
    series_indexes& series;
    blobs::log_store* logs = nullptr;
    seastar::scheduling_group group{}; // where a search goes on that is more than a moment's work
};

// How a search of a shard, or of several, ended.
struct search_end {
    static constexpr time_range no_time{time_range::forever, time_range::always};

    bool is_given_up = false; // of a trial: what was found are not the first rows
    // From when to when the partitions have rows that were looked at, or may have been but for that.
    time_range rows = no_time;

    void add(const search_end& other) {
        is_given_up |= other.is_given_up;
        rows = {std::min(rows.start_ns, other.rows.start_ns), std::max(rows.end_ns, other.rows.end_ns)};
    }
};

struct shard_rows {
    std::vector<part_batch> batches;
    size_t rows_max = 0; // less than was asked for, when memory does not suffice: there may be more rows behind these
    search_end end;
};

// Packs what it keeps anew, in pieces, so that all else can go.
seastar::future<> tighten(row_collector&);

// On each shard, with its stores. All that is borrowed must outlive the future.
seastar::future<result<shard_rows>> search_rows(row_stores, row_search, control&);
// The same for who is on that shard anyway, into an empty collector of `rows_max` rows.
seastar::future<result<search_end>> find_rows(row_stores, const row_search&, control&, row_collector& found);

} // namespace query
