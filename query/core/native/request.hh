// A question to the native API, parsed and validated: GET /v1/tail and GET /v1/range. All refusals that need no catalog happen
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "query/core/filter_ast.hh"
#include "query/core/native/aggregation.hh"
#include "query/core/native/cursor.hh"
#include "query/core/native/position.hh"
#include "query/core/native/time_range.hh"

namespace query {

enum class verb : uint8_t {
    tail,  // newest n
    range, // everything in a range of time
};

// One item of `from`.
struct from_item {
    enum class kind : uint8_t {
        stream,     // NAME: the family and the source of that name
        family,     // family:NAME
        source,     // source:NAME
        table,      // table:NAME
        everything, // *
    };
    kind what;
    std::string name;

    bool operator==(const from_item&) const = default;
};

struct request {
    query::verb verb = verb::tail;
    std::vector<from_item> from;
    int64_t now_ns = 0; // what relative times were taken from: the time of the first page
    time_range range;
    order_kind order = order_kind::descending;
    size_t limit = 0;
    std::optional<std::string> partition; // only this series, or this PartitionKey of a plain table
    filter where;
    std::optional<std::vector<subject>> select; // nothing: every column
    std::optional<aggregation> aggregates;
    std::optional<position> after; // from the cursor: go on behind this row
    bool follow = false;
    uint64_t fingerprint = 0; // of everything that a cursor must agree on
};

struct parameter {
    std::string_view name;
    std::string_view value;
};

// invalid_argument, with a sentence that names the parameter. `now_ns` is what relative times are taken from.
base::expected<request> parse_request(verb, std::span<const parameter>, int64_t now_ns);

} // namespace query
