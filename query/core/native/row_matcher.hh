// `where` over the rows of one table: which name is what.
//
//   in a family    time; family; tag.x; field.x; x is the tag of that name where the series has it, else the field;
//                  level is the tag or field of that name, by its severity
//   in a table     time; table; PartitionKey, RowKey, Timestamp; x and field.x are properties; tag.x is nothing
//   in a source    time; source; level, host, app, message; x and field.x are fields; tag.x is nothing
//
// What a series alone decides is decided once for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/core/filter_eval.hh"
#include "query/core/native/origin.hh"
#include "query/core/native/series_tags.hh"
#include "tables/core/row.hh"
#include "tables/core/segment/segment_view.hh"

namespace query {

class row_matcher {
public:
    // The program and the origin must outlive it.
    row_matcher(const program&, const origin&, unsigned spread);

    // What holds for all rows of a partition.
    verdict enter(std::string_view partition_key);
    // Not const: enters the row's partition.
    bool matches(int64_t time_ns, const tables::entity_view&);
    // False is sure: no row of the block matches.
    bool can_match(const tables::segment_view&, size_t block) const;

private:
    enum class meaning : uint8_t {
        time,
        origin_name,
        partition_key,
        row_key,
        timestamp,
        tag,
        property,
        tag_or_property,
        nothing
    };
    struct binding {
        meaning what;
        bool is_level; // told by severity
        std::string_view name;
        std::string property;                  // the name of a field among properties
        const std::string_view* tag = nullptr; // of the partition entered
        size_t column = 0;                     // a guess, checked each time
    };
    struct partition_slots;
    struct row_slots;
    struct block;

    // Else a verdict is the same for all partitions.
    bool looks_at_series() const { return _origin.kind == origin_kind::family && !_bindings.empty(); }
    binding bind(const subject&) const;
    static std::optional<tables::value> told(const binding&, std::optional<tables::value>);
    static std::optional<tables::value> property_value(binding&, const tables::row_view&);

    const program& _program;
    const origin& _origin;
    unsigned _spread;
    series_tags _series;
    std::vector<binding> _bindings; // one for each slot
    verdict _verdict = verdict::depends;
};

} // namespace query
