#include "query/aggregate_scan.hh"

#include <span>
#include <utility>

#include <seastar/core/coroutine.hh>

#include "query/core/native/row_time.hh"
#include "query/core/native/row_matcher.hh"
#include "query/record_search.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

constexpr size_t ranges_per_call = 256;
// Between looks at the budgets.
constexpr size_t rows_per_call = 10'000;

// Adds rows up where they lie.
class summing final : public tables::row_visitor {
public:
    summing(const plan& p, uint32_t part, time_range range, aggregator& sums)
        : _part(part), _kind(p.origin_of(p.parts[part]).kind), _range(range), _sums(sums),
          _matcher(p.where, p.origin_of(p.parts[part]), p.parts[part].spread) {}

    bool visit(std::string_view partition_key, std::string_view row_key, base::tick timestamp, const tables::row_view& row) override {
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

// Adds columns up where they lie: of partitions that `where` lets through as a whole.
class column_summing final : public tables::column_visitor {
public:
    column_summing(const plan& p, uint32_t part, time_range range, aggregator& sums)
        : _part(part), _kind(p.origin_of(p.parts[part]).kind), _range(range), _sums(sums) {}

    void visit(const tables::column_slice& slice) override {
        _times.clear();
        if (!slice.block.has_one_suffix() || !visit_evenly(slice)) {
            visit_each(slice);
        }
    }

    uint64_t rows_skipped = 0; // they have no time

private:
    // Where all keys end alike, times differ as ticks do. False when that would leave what nanoseconds can hold.
    bool visit_evenly(const tables::column_slice& slice) {
        constexpr int64_t ns_per_tick = 100;
        const auto ticks = slice.block.ticks().subspan(slice.begin, slice.end - slice.begin);
        const auto newest = row_time(_kind, base::tick{ticks.front()}, slice.block.suffix(slice.begin));
        const auto oldest = row_time(_kind, base::tick{ticks.back()}, slice.block.suffix(slice.begin));
        if (!newest || !oldest) {
            return false;
        }
        for (const int64_t tick : ticks) {
            _times.push_back(*newest - (ticks.front() - tick) * ns_per_tick);
        }
        const auto from = std::ranges::partition_point(_times, [this](int64_t t) { return t >= _range.end_ns; });
        const auto to = std::partition_point(from, _times.end(), [this](int64_t t) { return t >= _range.start_ns; });
        if (from != to) {
            _sums.add_columns(_part, slice.partition_key, {from, to}, slice.columns, slice.begin + static_cast<size_t>(from - _times.begin()));
        }
        return true;
    }

    void visit_each(const tables::column_slice& slice) {
        size_t first = slice.begin;
        for (size_t row = slice.begin; row < slice.end; ++row) {
            const auto time = row_time(_kind, base::tick{slice.block.ticks()[row]}, slice.block.suffix(row));
            if (time && _range.contains(*time)) {
                _times.push_back(*time);
                continue;
            }
            rows_skipped += time ? 0 : 1;
            add(slice, first);
            first = row + 1;
        }
        add(slice, first);
    }

    void add(const tables::column_slice& slice, size_t first) {
        if (!_times.empty()) {
            _sums.add_columns(_part, slice.partition_key, _times, slice.columns, first);
            _times.clear();
        }
    }

    const uint32_t _part;
    const origin_kind _kind;
    const time_range _range;
    aggregator& _sums;
    std::vector<int64_t> _times; // of rows that follow each other
};

// One shard's way through the partitions of one part.
class part_sum {
public:
    part_sum(row_stores stores, const aggregate_scan& scan, uint32_t part, aggregator& sums, control& watch)
        : _engine(stores.tables), _memo(stores.memo), _plan(*scan.plan), _part(part), _range(scan.range.common(_plan.parts[part].covers)), _sums(sums),
          _watch(watch), _rows(_plan, part, _range, sums), _columns(_plan, part, _range, sums) {}

    seastar::future<result<void>> run() {
        auto partitions = co_await find_partitions({_engine, _memo}, _plan, _part, _range, _watch);
        if (!partitions) {
            co_return std::unexpected(partitions.error());
        }
        const bool is_newest_enough = _sums.wants_newest_only();
        const bool is_by_column = _sums.can_add_columns() && _plan.asked.where.is_empty();
        for (std::span<const found_partition> rest = *partitions; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), ranges_per_call));
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
        if (auto done = co_await add(std::move(ranges), 1); !done) {
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
        auto end = co_await _engine.visit_columns_here(
            {.table = _plan.parts[_part].id, .ranges = std::move(ranges), .columns = _sums.columns_of(_part)}, _columns);
        if (!end) {
            co_return unless_dropped(end.error());
        }
        _watch.add_examined(end->rows_examined);
        if (auto ok = _watch.check(_sums.bytes()); !ok) {
            co_return ok;
        }
        co_return co_await add(std::move(end->left), SIZE_MAX);
    }

    seastar::future<result<void>> add(std::vector<tables::key_range> ranges, size_t rows_per_range) {
        while (!ranges.empty()) {
            const auto end = co_await _engine.visit_here({.table = _plan.parts[_part].id,
                                                          .ranges = ranges,
                                                          .rows_max = rows_per_call,
                                                          .rows_per_range_max = rows_per_range,
                                                          .deadline = _watch.slice_end()},
                                                         _rows);
            if (!end) {
                co_return unless_dropped(end.error());
            }
            _watch.add_examined(end->rows_examined);
            if (auto ok = _watch.check(_sums.bytes()); !ok) {
                co_return ok;
            }
            ranges = end->next ? tables::ranges_from(std::move(ranges), *end->next) : std::vector<tables::key_range>();
        }
        co_return result<void>();
    }

    tables::engine& _engine;
    partition_memo& _memo;
    const plan& _plan;
    const uint32_t _part;
    const time_range _range;
    aggregator& _sums;
    control& _watch;
    summing _rows;
    column_summing _columns;
};

record_search sum_of_source(const aggregate_scan& scan, uint32_t part, aggregator& sums) {
    return {.plan = scan.plan,
            .part = part,
            .range = scan.range,
            .wanted = [] { return time_range{}; },
            .take = [&sums, part](std::string batch) -> result<size_t> {
                const auto rows = tables::row_batch_reader::open(batch);
                if (!rows) {
                    return failed(rows.error());
                }
                for (const auto& row : *rows) {
                    sums.add(part, row);
                }
                return sums.bytes();
            }};
}

} // namespace

seastar::future<result<foreign_aggregator>> scan_aggregates(row_stores stores, aggregate_scan scan, control& watch) {
    auto sums = std::make_unique<aggregator>(*scan.plan, scan.exact_bytes_max);
    for (const auto part : scan.parts) {
        result<void> done;
        if (scan.plan->origin_of(scan.plan->parts[part]).kind == origin_kind::source) {
            done = co_await search_records(*stores.logs, sum_of_source(scan, part, *sums), watch);
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
