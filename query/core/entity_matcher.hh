// A filter program over entities of tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "query/core/filter_eval.hh"
#include "tables/core/row.hh"
#include "tables/core/segment/segment_view.hh"

namespace query {

// PartitionKey, RowKey and Timestamp are the entity's own; every other name is a property, field.x too; tag.x is nothing.
class entity_matcher {
public:
    // The program must outlive it.
    explicit entity_matcher(const program&);

    // Not const: it remembers where in the row each property was last, since rows of one shape follow each other.
    bool matches(const tables::entity_view&);
    // False is sure: no entity of the block matches.
    bool can_match(const tables::segment_view&, size_t block) const;

private:
    enum class source : uint8_t { partition_key, row_key, timestamp, property, nothing };
    struct binding {
        source from;
        std::string_view name;
        size_t column = 0; // a guess, checked each time
    };
    struct block;
    struct row {
        std::vector<binding>& bindings;
        const tables::entity_view& entity;

        std::optional<tables::value> value_of(size_t slot);
    };

    static source source_of(const subject&);

    const program& _program;
    std::vector<binding> _bindings; // one for each slot
};

} // namespace query
