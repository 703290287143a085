#include "query/aggregate_scan.hh"

#include <span>
#include <utility>

#include <seastar/core/coroutine.hh>

#include "query/core/native/column_filter.hh"
#include "query/core/native/row_matcher.hh"
#include "query/core/native/row_time.hh"
#include "query/record_search.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

constexpr size_t summed_ranges_per_call = 256;
// Between looks at the budgets.
constexpr size_t summed_rows_per_call = 10'000;

// Adds rows up where they lie.
class summing final : public tables::row_visitor {
public:
    summing(const plan& p, uint32_t part, time_range range, aggregator& sums)
        : _part(part), _kind(p.origin_of(p.parts[part]).kind), _range(range), _sums(sums),
          _matcher(p.where, p.origin_of(p.parts[part]), p.parts[part].spread) {}

    bool visit(std::string_view partition_key, std::string_view row_key, base::tick timestamp,
               const tables::row_view& row) override {
        if (_is_first || partition_key != _partition_key) {
            _is_first = false;
            _partition_key = partition_key;
            _partition_text = tables::uncollate(partition_key);
            _verdict = _matcher.enter(_partition_text);
        }
        const auto time = row_time(_kind, row_key);
        if (!time) {
            ++rows_skipped;
            return false;
        }
        if (!_range.contains(*time) || _verdict == verdict::no) {
            return false;
        }
        if (_verdict == verdict::depends) {
            const tables::entity_view entity{_partition_text, tables::uncollate(row_key, _row_text), timestamp, row};
            if (!_matcher.matches(*time, entity)) {
                return false;
            }
        }
        if (!_sums.add(_part, partition_key, *time, row) && keeps_incomplete) {
            incomplete.push_back({std::string(partition_key), std::string(row_key)});
        }
        return true;
    }

    uint64_t rows_skipped = 0; // they have no time
    bool keeps_incomplete = false;
    std::vector<tables::entity_key> incomplete; // rows without some field

private:
    const uint32_t _part;
    const origin_kind _kind;
    const time_range _range;
    aggregator& _sums;
    row_matcher _matcher;
    bool _is_first = true;
    std::string _partition_key;
    verdict _verdict = verdict::depends; // of the partition
    std::string _partition_text, _row_text;
};

// Adds columns up where they lie: those of the sums, then those that `where` looks at.
class column_summing final : public tables::column_visitor {
public:
    column_summing(const plan& p, uint32_t part, time_range range, aggregator& sums, const control& watch)
        : _part(part), _kind(p.origin_of(p.parts[part]).kind), _range(range), _sums(sums), _watch(watch), _filter(p, part),
          _matcher(p.where, p.origin_of(p.parts[part]), p.parts[part].spread), _names(sums.columns_of(part)) {
        _sums_count = _names.size();
        _names.insert(_names.end(), _filter.columns().begin(), _filter.columns().end());
    }

    const std::vector<std::string>& columns() const { return _names; }

    bool takes_known_rows() const override { return _sums.can_add_known(); }

    // Where the series decides what `where` says of all its rows.
    bool take(const tables::known_rows& rows) override {
        const auto times = times_between(rows.oldest, rows.newest);
        if (!times || !_range.contains(times->start_ns) || !_range.contains(times->end_ns - 1)) {
            return false;
        }
        enter(rows.partition_key);
        switch (_matcher.enter(_partition_text)) {
        case verdict::no: return true;
        case verdict::yes: return _sums.add_known(_part, *times, rows);
        case verdict::depends: return false;
        }
        return false;
    }

    bool visit(const tables::column_slice& slice) override {
        enter(slice.partition_key);
        const auto chosen = _filter.select(_partition_text, slice.columns.subspan(_sums_count), slice.begin, slice.end);
        if (!chosen) {
            return false;
        }
        if (!chosen->rows && !chosen->is_all) {
            return true;
        }
        const bool have_times = find_times(slice);
        // Newest first: what lies between two rows of the range is in the range.
        if (!chosen->rows && have_times && _range.contains(_times.front()) && _range.contains(_times.back())) {
            add_rows(slice, 0, _times.size());
            return true;
        }
        const auto is_wanted = [&](size_t i) {
            return _range.contains(_times[i]) && (!chosen->rows || chosen->rows->Value(static_cast<int64_t>(i)));
        };
        for (size_t i = 0; i < _times.size(); ++i) {
            const size_t begin = i;
            while (i < _times.size() && is_wanted(i)) {
                ++i;
            }
            if (i > begin) {
                add_rows(slice, begin, i);
            }
        }
        return true;
    }

    // What it says once holds: memory that was short a moment ago may not be so any more, but rows were left out.
    bool wants_more() const override {
        if (_outcome) {
            _outcome = _watch.check(_sums.bytes());
        }
        return _outcome.has_value();
    }
    const result<void>& outcome() const { return _outcome; }

    uint64_t rows_skipped = 0; // they have no time

private:
    static constexpr int64_t no_time = time_range::forever; // in no range

    void enter(std::string_view partition_key) {
        if (partition_key != _partition_key) {
            _partition_key = partition_key;
            _partition_text = tables::uncollate(partition_key);
        }
    }

    // Rows [begin, end) of the slice.
    void add_rows(const tables::column_slice& slice, size_t begin, size_t end) {
        _sums.add_columns(_part, slice.partition_key, std::span(_times).subspan(begin, end - begin),
                          slice.columns.first(_sums_count), slice.begin + begin);
    }

    // True when all rows have one.
    bool find_times(const tables::column_slice& slice) {
        const auto ticks = slice.block.ticks().subspan(slice.begin, slice.end - slice.begin);
        _times.resize(ticks.size());
        const auto time_of = [&](size_t i) { return row_time(_kind, base::tick{ticks[i]}, slice.block.suffix(slice.begin + i)); };
        const auto newest = time_of(0);
        if (slice.block.has_one_suffix() && newest && time_of(ticks.size() - 1)) {
            // Where all keys end alike, times differ as ticks do.
            constexpr int64_t ns_per_tick = 100;
            for (size_t i = 0; i < ticks.size(); ++i) {
                _times[i] = *newest - (ticks[0] - ticks[i]) * ns_per_tick;
            }
            return true;
        }
        const auto skipped_before = rows_skipped;
        for (size_t i = 0; i < ticks.size(); ++i) {
            const auto time = time_of(i);
            _times[i] = time.value_or(no_time);
            rows_skipped += time ? 0 : 1;
        }
        return rows_skipped == skipped_before;
    }

    const uint32_t _part;
    const origin_kind _kind;
    const time_range _range;
    aggregator& _sums;
    const control& _watch;
    mutable result<void> _outcome;
    column_filter _filter;
    row_matcher _matcher;
    std::vector<std::string> _names;
    size_t _sums_count = 0; // of the names
    std::string _partition_key, _partition_text;
    std::vector<int64_t> _times; // of the rows of a slice
};

// One shard's way through the partitions of one part.
class part_sum {
public:
    part_sum(row_stores stores, const aggregate_scan& scan, uint32_t part, aggregator& sums, control& watch)
        : _engine(stores.tables), _series(stores.series), _group(stores.group), _plan(*scan.plan), _part(part),
          _range(scan.range.common(_plan.parts[part].covers)), _sums(sums), _watch(watch), _rows(_plan, part, _range, sums),
          _columns(_plan, part, _range, sums, watch) {}

    seastar::future<result<void>> run() {
        auto partitions = co_await find_partitions({_engine, _series, _group}, _plan, _part, _range, _watch);
        if (!partitions) {
            co_return std::unexpected(partitions.error());
        }
        const bool is_newest_enough = _sums.wants_newest_only();
        const bool is_by_column = _sums.can_add_columns();
        for (std::span<const found_partition> rest = *partitions; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), summed_ranges_per_call));
            rest = rest.subspan(some.size());
            std::vector<tables::key_range> ranges;
            for (const auto& p : some) {
                ranges.push_back(keys_of_partition(p.key, _range));
            }
            auto adding = is_newest_enough ? add_newest(std::move(ranges))
                          : is_by_column   ? add_columns(std::move(ranges))
                                           : add(std::move(ranges), SIZE_MAX);
            if (auto done = co_await std::move(adding); !done) {
                co_return done;
            }
        }
        _watch.add_skipped(_rows.rows_skipped + _columns.rows_skipped);
        co_return result<void>();
    }

private:
    // A range of which the newest row does not have all fields is looked through for the others.
    seastar::future<result<void>> add_newest(std::vector<tables::key_range> ranges) {
        _rows.keeps_incomplete = true;
        auto end = co_await _engine.visit_newest_here({.table = _plan.parts[_part].id, .ranges = std::move(ranges)}, _rows);
        if (!end) {
            co_return _watch.leave_out(_plan.parts[_part], end.error());
        }
        _watch.add_examined(end->rows_examined);
        if (auto ok = _watch.check(_sums.bytes()); !ok) {
            co_return ok;
        }
        if (auto done = co_await add(std::move(end->left), 1); !done) {
            co_return done;
        }
        _rows.keeps_incomplete = false;
        std::vector<tables::key_range> more;
        for (auto& key : std::exchange(_rows.incomplete, {})) {
            auto range = keys_of_partition(key.partition_key, _range);
            range.from.row_key = key.row_key + '\0';
            more.push_back(std::move(range));
        }
        co_return co_await add(std::move(more), SIZE_MAX);
    }

    seastar::future<result<void>> add_columns(std::vector<tables::key_range> ranges) {
        auto end = co_await _engine.visit_columns_here({.table = _plan.parts[_part].id,
                                                        .ranges = std::move(ranges),
                                                        .columns = _columns.columns(),
                                                        .passes_damage = _watch.passes_damage()},
                                                       _columns);
        if (!end) {
            co_return _watch.leave_out(_plan.parts[_part], end.error());
        }
        _watch.add_blocks_read(end->blocks_read);
        _watch.add_damage(_plan.parts[_part], end->damage);
        _watch.add_examined(end->rows_examined);
        if (!_columns.wants_more()) {
            co_return _columns.outcome();
        }
        co_return co_await add(std::move(end->left), SIZE_MAX);
    }

    seastar::future<result<void>> add(std::vector<tables::key_range> ranges, size_t rows_per_range) {
        while (!ranges.empty()) {
            const auto end = co_await _engine.visit_here({.table = _plan.parts[_part].id,
                                                          .ranges = ranges,
                                                          .rows_max = summed_rows_per_call,
                                                          .rows_per_range_max = rows_per_range,
                                                          .deadline = _watch.slice_end(),
                                                          .passes_damage = _watch.passes_damage()},
                                                         _rows);
            if (!end) {
                co_return _watch.leave_out(_plan.parts[_part], end.error());
            }
            _watch.add_blocks_read(end->blocks_read);
            _watch.add_damage(_plan.parts[_part], end->damage);
            _watch.add_examined(end->rows_examined);
            if (auto ok = _watch.check(_sums.bytes()); !ok) {
                co_return ok;
            }
            ranges = end->next ? tables::ranges_from(std::move(ranges), *end->next) : std::vector<tables::key_range>();
        }
        co_return result<void>();
    }

    tables::engine& _engine;
    series_indexes& _series;
    const seastar::scheduling_group _group; // of what is more than a moment's work
    const plan& _plan;
    const uint32_t _part;
    const time_range _range;
    aggregator& _sums;
    control& _watch;
    summing _rows;
    column_summing _columns;
};

} // namespace

seastar::future<result<foreign_aggregator>> scan_aggregates(row_stores stores, aggregate_scan scan, control& watch) {
    auto sums = std::make_unique<aggregator>(*scan.plan, scan.exact_bytes_max);
    for (const auto part : scan.parts) {
        result<void> done;
        if (scan.plan->origin_of(scan.plan->parts[part]).kind == origin_kind::source) {
            done = co_await sum_records(*stores.logs, *scan.plan, part, scan.range, *sums, watch);
        } else {
            part_sum one(stores, scan, part, *sums, watch);
            done = co_await one.run();
        }
        if (!done) {
            co_return std::unexpected(done.error());
        }
    }
    co_return seastar::make_foreign(std::move(sums));
}

} // namespace query
