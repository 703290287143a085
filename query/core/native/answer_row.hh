// One row of an answer as encoders see it, whatever it was made from. Borrowed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "query/core/native/origin.hh"
#include "tables/core/family/tag.hh"
#include "tables/core/value.hh"

namespace query {

struct answer_row {
    std::optional<int64_t> time_ns;         // nothing: an aggregate over a range without a beginning
    const origin* from = nullptr;           // nothing: an aggregate
    std::span<const tables::property> head; // what is neither tag nor field: keys of a table's row, level and message of a record
    std::span<const tables::tag> tags;
    std::span<const tables::property> fields; // names as they were sent
};

} // namespace query
