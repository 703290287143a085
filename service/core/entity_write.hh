// One write of an entity, from what the client sent to a row of a transaction.
#pragma once

#include <string>
#include <string_view>

#include "service/core/entity_json.hh"
#include "service/core/operation.hh"
#include "service/core/precondition.hh"
#include "service/core/service_error.hh"
#include "tables/core/row_batch.hh"
#include "tables/core/transaction.hh"

namespace service {

struct entity_write {
    operation op{};
    resource what; // the entity, or the set it is inserted into
    precondition condition;
    std::string_view body; // JSON; not of a delete
};

// The keys as the client wrote them.
struct written_keys {
    std::string partition_key;
    std::string row_key;
};

// Adds a row to the batch and an operation to `operations`. Everything that can be wrong with the entity by itself is told here.
outcome<written_keys> add_write(const entity_write&, entity_parser&, tables::row_batch_builder&,
                                std::vector<tables::operation>& operations);

// The table that the write is for; empty when the resource names none.
std::string_view table_of(const resource&);

} // namespace service
