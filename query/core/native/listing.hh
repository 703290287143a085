// What there is, as JSON: families, tables, and the series, tags and fields of a family. Every list pages: it is sorted, begins
// behind the cursor (the text of its last item) and has at most `limit` items.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "base/ids.hh"
#include "base/ticks.hh"
#include "query/core/native/request.hh"
#include "tables/core/catalog_edit.hh"
#include "tables/core/row.hh"

namespace query {

constexpr size_t list_items_default = 1'000;
constexpr size_t list_items_max = 10'000;

struct list_page {
    std::string after; // the cursor; empty: from the beginning
    size_t limit = list_items_default;
};
// limit and cursor, nothing else. `known` is what the refusal of another says there is.
base::expected<list_page> parse_list_page(std::span<const parameter>, std::string_view known = "limit, cursor");

std::string families_json(std::span<const tables::table_info>, const list_page&);

// What a table takes. A row that is in several places, or removed and not merged yet, counts as often.
struct table_figures {
    uint64_t rows_count = 0;
    uint64_t segment_rows_count = 0; // of them, in segments
    uint64_t bytes = 0;              // of segments
    uint64_t memory_bytes = 0;       // of rows that are not in segments yet
    uint64_t files_count = 0;
    std::optional<base::tick> oldest, newest; // of rows with a time; nothing when that is not known
    std::optional<base::tick> next_drop;      // by its policy
};
// The tables of a page, by name, and one more when there are more.
std::vector<tables::table_info> tables_of_page(std::span<const tables::table_info>, const list_page&);
// Of tables_of_page(); those without figures are empty.
std::string tables_json(std::span<const tables::table_info>, const std::map<base::table_id, table_figures>&, const list_page&);

enum class fact_kind : uint8_t { series, tags, fields };

// What the rows of a family say about it, put together from one of the newest of each partition. It keeps what one kind of list
// needs, so that a page of it is printed without looking at all there is.
class family_facts {
public:
    explicit family_facts(fact_kind what) : _what(what) {}

    void add(std::string_view partition_key, unsigned spread, const tables::row_view&);

    std::string series_json(const list_page&) const;
    // Keys and values; the limit is on values.
    std::string tags_json(const list_page&) const;
    std::string fields_json(const list_page&) const;
    // About what it holds.
    size_t bytes() const { return _bytes; }

private:
    void add_tags(std::string_view series);
    void add_fields(const tables::row_view&);

    fact_kind _what;
    std::set<std::string> _series;
    std::set<std::string> _tags;                               // key=value, as in a series
    std::map<std::string, std::set<std::string_view>> _fields; // name and types
    size_t _bytes = 0;
};

} // namespace query
