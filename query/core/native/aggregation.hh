// What to compute instead of rows: agg=max(usage_user),count(*)&every=1m&by=host
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "query/core/filter_ast.hh"

namespace query {

enum class aggregate_kind : uint8_t { count, sum, min, max, avg, first, last, stddev, p50, p90, p95, p99, rate };

struct aggregate_call {
    aggregate_kind kind;
    std::string field;          // its name as it was sent; empty: count of rows
    std::string label;          // the column in the answer: max(usage_user)
    bool is_field_only = false; // field.x: not the tag, or the head of a record, of that name

    bool operator==(const aggregate_call&) const = default;
};

struct aggregation {
    std::vector<aggregate_call> calls;
    std::optional<int64_t> every_ns;  // nothing: one value for the whole range
    std::vector<std::string> by_tags; // in the order they were asked for

    bool operator==(const aggregation&) const = default;

    // The start of the bucket that holds a time. Buckets are aligned to 1970. Needs every_ns.
    int64_t bucket_of(int64_t time_ns) const;
};

// The list of `agg`: each a function over a field, count(*) over rows.
base::expected<std::vector<aggregate_call>> parse_aggregates(std::string_view text);

} // namespace query
