// Rows -> aggregates by bucket and group. Each shard has one for a query; they add up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/core/native/aggregate_state.hh"
#include "query/core/native/answer.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/series_tags.hh"
#include "query/core/native/time_range.hh"
#include "tables/core/row_batch.hh"
#include "tables/core/segment/known_rows.hh"

namespace query {

// The place of one result in the order of answers: cursors of aggregates hold it as time and partition key.
struct bucket_key {
    using group_key = std::vector<std::optional<std::string>>;
    // To look one up without making it.
    struct borrowed {
        int64_t time_ns;
        const group_key& group;
    };
    struct less {
        using is_transparent = void;
        bool operator()(const auto& a, const auto& b) const {
            return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.group < b.group;
        }
    };

    int64_t time_ns = 0; // start of the bucket; of the range without `every`
    group_key group;     // the values of the tags of `by`; nothing where a series lacks the tag

    auto operator<=>(const bucket_key&) const = default;
};

std::string encode_group(const bucket_key::group_key&);
// invalid_argument when it does not have so many values.
base::expected<bucket_key::group_key> decode_group(std::string_view, size_t values_count);

class aggregator {
public:
    // The plan has aggregates and outlives this. Over `exact_bytes_max` of values kept for percentiles they become sketches.
    aggregator(const plan&, size_t exact_bytes_max);

    // What is kept for the calls of the plan; several may share one.
    struct slot {
        state_kind kind;
        std::string field;
        bool is_field_only = false;

        bool operator==(const slot&) const = default;
    };
    std::span<const slot> slots() const { return _slots; }

    // True when of each partition the newest row will do, or the newest with a value where that one has none.
    bool wants_newest_only() const;
    // Rows of one partition must come newest first, also from table to table, for rates. True when it has all fields asked for.
    bool add(uint32_t part, std::string_view partition_key, int64_t time_ns, const tables::row_view&);
    // Whether columns will do; if so, which of a part's.
    bool can_add_columns() const;
    std::vector<std::string> columns_of(uint32_t part) const;
    // Rows begin, begin + 1, ... of a block, which have these times, newest first. `columns` are those of columns_of(part).
    void add_columns(uint32_t part, std::string_view partition_key, std::span<const int64_t> times,
                     std::span<const std::vector<tables::typed_array>> columns, size_t begin);
    // Whether there is any use in add_known().
    bool can_add_known() const;
    // Rows with times in `times`, of which no more is known. False: that is not enough, and nothing was added. Columns as above.
    bool add_known(uint32_t part, time_range times, const tables::known_rows&);
    // Rows that are of no partition, in any order: log records. A group of theirs, by the values of `by`, is known by its number.
    size_t group_number(uint32_t part, bucket_key::group_key);
    void add(size_t group, int64_t time_ns, std::span<const std::optional<tables::value>> values); // one for each slot
    // When all has been added: one counter at a time. False when that was all.
    bool finish_some();

    size_t bytes() const { return _bytes + _values_bytes; }
    bool is_exact() const { return _is_exact; }

    using cell = std::vector<aggregate_state>; // one for each slot
    using cell_map = std::map<bucket_key, cell, bucket_key::less>;
    // One result: its time, tags and values. In key order; names and tags are borrowed.
    struct result {
        std::optional<int64_t> time_ns;
        std::vector<std::pair<std::string_view, std::string_view>> tags; // those of `by` that it has
        std::vector<std::pair<std::string_view, literal>> fields;
    };
    // Adds what another one has, a few cells at a time. Both must outlive it, and nobody else may touch them meanwhile.
    class merging;
    // At most `count` cells behind `after`, in the plan's order. They stay where they are.
    std::vector<const cell_map::value_type*> cells(const std::optional<bucket_key>& after, size_t count) const;
    // What a cell comes to, in place of what was there.
    void tell(const cell_map::value_type&, result&) const;

private:
    // A counter of one series on its way back in time.
    struct track {
        bucket_key::group_key group;
        bool keeps_samples = false;
        std::optional<std::pair<int64_t, double>> newer;
        std::vector<std::pair<int64_t, double>> samples; // where a series is spread over shards: all of them
    };
    using track_map = std::map<std::pair<size_t, std::string>, track>; // by slot, origin and series
    struct row_group {
        bucket_key::group_key key;
        std::vector<track*> counters; // of each slot
        // The one of the row before, most often also that of the next.
        cell* last_cell = nullptr;
        int64_t last_cell_time = 0;
    };
    struct part_columns {
        std::vector<std::optional<std::string>> names; // of each slot, as they are stored here
        std::vector<size_t> guesses;                   // where in the row each was last
        bool is_in_order = true;                       // the rows of a series come newest first over all tables of the origin
    };

    size_t slot_for(const aggregate_call&);
    void enter_partition(uint32_t part, std::string_view partition_key);
    void enter_counters(std::string_view series, bool keeps_samples);
    cell& cell_at(bucket_key::borrowed);
    // Likewise, near a place in the map.
    cell_map::iterator cell_near(cell_map::iterator, bucket_key::borrowed);
    void enter_cell(int64_t bucket);
    void add_value(size_t slot, int64_t time_ns, const tables::value&);
    std::optional<tables::value> value_of(size_t slot, const tables::row_view&);
    int64_t bucket_of(int64_t time_ns) const;
    void follow_counter(track&, size_t slot, int64_t time_ns, double value);
    void add_step(const track&, size_t slot, std::pair<int64_t, double> older, std::pair<int64_t, double> newer);
    void count_values(aggregate_state&, size_t bytes_before);
    void condense_if_large();

    const plan& _plan;
    const aggregation& _asked;
    size_t _exact_bytes_max;
    bool _looks_at_tags = false;
    std::vector<slot> _slots;
    std::vector<size_t> _slot_of_call;
    std::vector<part_columns> _parts;
    cell_map _cells;
    track_map _tracks;
    std::vector<row_group> _groups;
    size_t _bytes = 0;
    size_t _values_bytes = 0; // of percentiles
    bool _is_exact = true;

    // Of the partition under way.
    uint32_t _part = UINT32_MAX;
    std::string _partition_key, _partition_text;
    series_tags _series;
    bucket_key::group_key _group;
    std::vector<track*> _counters; // of each slot
    std::vector<bool> _counts_tag; // likewise: it counts a tag that the series has, so all rows
    // The cell of the row before; most rows follow each other into it.
    cell* _cell = nullptr;
    int64_t _cell_time = 0;
};

class aggregator::merging {
public:
    merging(aggregator& to, const aggregator& from)
        : _to(to), _from(from), _near(to._cells.begin()), _cell(from._cells.begin()), _track(from._tracks.begin()) {}

    // False when that was all.
    bool step();

private:
    void add_cell();
    void add_track();

    aggregator& _to;
    const aggregator& _from;
    cell_map::iterator _near; // both are in order, so each cell is found near the one before
    cell_map::const_iterator _cell;
    track_map::const_iterator _track;
};

} // namespace query
