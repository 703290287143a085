// Deletes the rows of a family that a plan is about: they are looked for as for an answer, and removed batch by batch where they
// are. What ends it early leaves what has been removed removed; asking again goes on with the rest.
#pragma once

#include <cstdint>
#include <span>

#include <seastar/core/future.hh>

#include "query/control.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/request.hh"
#include "query/executor.hh"

namespace query {

// `where`, `start` and `end`, at least one of them: a whole family goes by dropping its tables. invalid_argument.
base::expected<request> parse_deletion(std::string family, std::span<const parameter>, int64_t now_ns);

struct deletion_report {
    uint64_t rows_count = 0;
    result<void> outcome; // why it ended early, if it did
};

// On all shards. When it resolves the rows are gone from every answer, and so they stay after a crash. A row that is written
// while this runs may be there or not. The plan and the control must outlive the future.
seastar::future<deletion_report> delete_rows(executor&, const plan&, control&);

} // namespace query
