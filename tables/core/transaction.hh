// Entity group transactions, and single writes as transactions of one: what they may contain, and what they come to when they
// meet the entities that are there. Pure, so that the engine can look entities up and decide without suspending in between.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "tables/core/row_batch.hh"

namespace tables {

enum class operation_kind : uint8_t {
    insert,  // must not exist
    replace, // must exist
    merge,   // must exist
    insert_or_replace,
    insert_or_merge,
    remove, // must exist
};

struct operation {
    operation_kind kind = operation_kind::insert;
    // The Timestamp that the client's ETag stands for; nothing where any will do.
    std::optional<base::tick> if_match;
};

// `rows` is an encoded row batch: its row i is what operation i writes, a put for all kinds but remove. It becomes the log record
// as it is unless something has to be merged.
struct transaction {
    std::string rows;
    std::vector<operation> operations;
};

constexpr size_t operations_max = 100;
constexpr size_t transaction_bytes_max = 4u << 20;
// Of the rows that are merged with what is there and written whole, together: with all others they fit into one record of the
// log.
constexpr size_t whole_rows_bytes_max = 3u << 20;

struct transaction_failure {
    base::error error;
    uint32_t index = 0; // of the operation that failed
};

// The rules that need no entity: 1..100 operations, one partition, each row once, 4 MiB, a kind of row that fits its operation.
std::expected<void, transaction_failure> check_transaction(const row_batch_reader&, std::span<const operation>);

// Whether what the operation does depends on the entity that is there.
constexpr bool needs_current(const operation& op) {
    return op.kind != operation_kind::insert_or_replace || op.if_match.has_value();
}

// Whether it does so on more than its Timestamp.
constexpr bool needs_current_row(const operation& op) {
    return op.kind == operation_kind::merge || op.kind == operation_kind::insert_or_merge;
}

// An entity as it is now; borrowed from whoever looked it up, until the next look-up.
struct current_entity {
    base::tick timestamp;
    row_view row;
};
using entity_lookup = std::function<std::optional<current_entity>(std::string_view partition_key, std::string_view row_key)>;

// Checks every condition against `find`, which is only asked where needs_current(). Nothing: the batch can be written as it is. A
// text: write this batch instead (some rows had to be merged with what was there; the limits of an entity hold for the result;
// those above whole_rows_bytes_max stay merges).
std::expected<std::optional<std::string>, transaction_failure> decide(const row_batch_reader&, std::span<const operation>,
                                                                      const entity_lookup& find);

} // namespace tables
