// What a request means to the data there is: names resolved to tables, each with the part of time it can hold. A value; while a
// query runs all its shards look at the one of the shard that was asked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hh"
#include "base/ids.hh"
#include "query/core/filter_eval.hh"
#include "query/core/native/origin.hh"
#include "query/core/native/request.hh"
#include "tables/core/catalog_edit.hh"

namespace query {

// One table of a plan, or one log source.
struct table_part {
    base::table_id id;   // of a source: 0
    uint32_t origin = 0; // index into plan::origins
    time_range covers;   // of a family: its period; of a plain table or a source: everything
    unsigned spread = 1;
    std::string table; // its name; of a source: empty
};

struct plan {
    request asked;
    program where;
    std::vector<origin> origins;   // sorted, none twice
    std::vector<table_part> parts; // by origin, then by time

    const origin& origin_of(const table_part& part) const { return origins[part.origin]; }
    // The row behind which the page goes on; nothing for the first page, and for aggregates.
    std::optional<position_view> after() const;
};

// All there is to choose from, of one account.
struct catalog_view {
    std::span<const tables::table_info> tables;
    std::span<const std::string> sources;
};

// not_found (entity_not_found) when a name is nowhere, unless it is asked to follow and the name can still come; invalid_argument
// for a pattern that does not compile.
base::expected<plan> make_plan(request, const catalog_view&);

} // namespace query
