// The flat columns of an answer, for formats that must know them before the first row: time; family, table or source; keys of
// tables and heads of records; tags; fields; the last two sorted by name. A name that is both a tag and a field, or taken by a
// column before them, is written tag.x or field.x.
//
// Where columns were selected it is those, whatever the rows have: time; family, table and source, those the plan has any of; and
// each selected name in its order. What has that name in a row is in that column: a record's own, a tag, or else a field. Those
// of aggregates are fixed, too.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/core/native/aggregation.hh"
#include "query/core/native/answer_row.hh"
#include "query/core/native/limits.hh"
#include "query/core/native/plan.hh"

namespace query {

struct flat_column {
    std::string label;
    uint16_t types = 0; // a bit for each tables::value_type that occurs

    bool has(tables::value_type t) const { return (types >> static_cast<unsigned>(t) & 1) != 0; }
};

class column_set {
public:
    // Those that rows have.
    column_set() = default;
    // Those of the plan, if it selects some.
    explicit column_set(const plan&);
    // Groups and aggregates, as they were asked for.
    explicit column_set(const aggregation&);

    // First every row is observed, then close(), then the rows are placed.
    void observe(const answer_row&);
    void close();
    // More columns than a page may have: observe no more.
    bool is_too_wide() const { return _entries.size() > flat_columns_max; }

    // Time is not among them: every row has it and it comes first.
    const std::vector<flat_column>& columns() const { return _columns; }

    // The values of a row, one for each column. Borrows from the row.
    using cells = std::vector<std::optional<tables::value>>;
    void place(const answer_row&, cells&) const;

private:
    enum class section : uint8_t { origin, head, tag, field };
    struct key_less {
        using is_transparent = void;
        using view = std::pair<section, std::string_view>;
        static view of(const std::pair<section, std::string>& k) { return {k.first, k.second}; }
        static view of(const view& k) { return k; }
        bool operator()(const auto& a, const auto& b) const { return of(a) < of(b); }
    };
    struct entry {
        uint16_t types = 0;
        size_t column = 0;
    };

    template <class Visit>
    static void for_each_cell(const answer_row&, Visit);
    template <class Visit>
    void for_each_column(const answer_row&, Visit) const;
    void select(std::string label, const subject&);

    std::map<std::pair<section, std::string>, entry, key_less> _entries;
    std::vector<flat_column> _columns;
    bool _is_fixed = false;
    // Of a fixed set: the columns that take a cell of this section and name.
    std::map<std::pair<section, std::string>, std::vector<size_t>, key_less> _takers;
};

} // namespace query
