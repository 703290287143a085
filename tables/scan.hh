// Scans: rows of one table in key order, over all shards that can have some, one page at a time. A page is a snapshot on each
// shard; between pages nothing is held but a position.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hh"
#include "tables/core/damaged_keys.hh"
#include "tables/core/key_range.hh"
#include "tables/core/owned_rows.hh"
#include "tables/core/segment/segment_view.hh"

namespace tables {

constexpr size_t page_rows_max = 1000;
// What one shard sends at a time; a page of large entities ends when it has this much.
constexpr size_t page_bytes_max = 4u << 20;

// Asked for each row in the ranges, on the shard that has it.
class row_predicate {
public:
    virtual ~row_predicate() = default;
    virtual bool matches(const entity_view&) = 0;
    // False is sure: no row of this block would match, taken alone.
    virtual bool can_match(const segment_view&, [[maybe_unused]] size_t block) const { return true; }
};

// Makes a predicate on each shard of a scan. All shards look at it at the same time, so it does not change while a scan uses it.
class predicate_source {
public:
    virtual ~predicate_source() = default;
    virtual std::unique_ptr<row_predicate> make() const = 0;
};

// Is shown rows where they are, for who needs them only for a moment: everything is borrowed for the call. Keys are collated.
class row_visitor {
public:
    virtual ~row_visitor() = default;
    // True when the row counts towards rows_max and rows_per_range_max.
    virtual bool visit(std::string_view partition_key, std::string_view row_key, base::tick timestamp, const row_view&) = 0;
};

struct scan_request {
    base::table_id table;
    std::vector<key_range> ranges;                   // in order, not overlapping
    const predicate_source* predicate = nullptr;     // the caller keeps it until the page is there
    std::optional<std::vector<std::string>> columns; // only these properties; nothing: all
    size_t rows_max = page_rows_max;
    size_t rows_per_range_max = SIZE_MAX; // the first ones of each range; a page that goes on inside a range counts anew
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    // What cannot be read is left out and told, and with it every row that might be another one there; else it is an error.
    bool passes_damage = false;
};

struct scan_page {
    std::vector<owned_rows> batches; // what `rows` borrows from
    std::vector<batch_row> rows;     // in key order
    std::optional<entity_key> next;  // where to go on; nothing: this was all
    uint64_t rows_examined = 0;
    uint64_t blocks_read = 0; // of segments
    damage_list damage;       // what was left out; the next page may tell the same again
};

// How far a visit has come.
struct visit_end {
    std::optional<entity_key> next; // where to go on; nothing: this was all
    uint64_t rows_examined = 0;
    uint64_t blocks_read = 0; // of segments
    damage_list damage;       // as in a page
};

} // namespace tables
