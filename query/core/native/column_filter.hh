// `where` over columns: what the tags of a series decide is decided once for it, and what is left, comparisons of fields, by
// Arrow's kernels on whole stretches of rows. The same outcome as row_matcher, or none: what columns cannot tell is left to rows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array/array_primitive.h>
#include <arrow/datum.h>

#include "query/core/native/plan.hh"
#include "query/core/native/row_matcher.hh"
#include "tables/core/segment/block_columns.hh"

namespace query {

class column_filter {
public:
    // Of one part of the plan, which must outlive it. Needs: the part is a family or a table.
    column_filter(const plan&, uint32_t part);

    // The properties whose columns it wants to see, by name, none twice.
    const std::vector<std::string>& columns() const { return _columns; }

    // All rows of the stretch, none, or those with a 1.
    struct selection {
        bool is_all = false;
        std::shared_ptr<arrow::BooleanArray> rows; // null: all or none
    };
    // Rows [begin, end) of the partition (text, not collated). `columns` are those of columns(). Nothing: ask row by row.
    std::optional<selection> select(std::string_view partition_key, std::span<const std::vector<tables::typed_array>> columns,
                                    size_t begin, size_t end);

private:
    // A condition alone.
    struct leaf {
        leaf(filter f, const origin& from, unsigned spread);

        filter condition; // of one node
        program test;
        row_matcher matcher;
        std::optional<size_t> column; // what it compares; nothing: only a row can tell
    };
    // On the stack: known for the partition, or a mask without nulls.
    struct part_result {
        bool is_true = false;
        arrow::Datum mask; // none: is_true holds for all rows
    };

    std::optional<part_result> test(leaf&, std::string_view partition_key,
                                    std::span<const std::vector<tables::typed_array>> columns, size_t begin, size_t end);
    static std::optional<part_result> join(node_kind, std::span<const part_result> operands);
    size_t column_for(std::string name);

    const filter& _where;
    std::vector<std::unique_ptr<leaf>> _leaves; // of each condition of the filter, in postfix order
    std::vector<std::string> _columns;
};

} // namespace query
