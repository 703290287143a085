#include "query/aggregate_scan.hh"

#include <span>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "query/core/native/row_time.hh"
#include "query/core/native/stored_columns.hh"
#include "query/partitions.hh"
#include "query/record_search.hh"
#include "query/row_filter.hh"

namespace query {
namespace {

constexpr size_t ranges_per_call = 256;
// Of one call; adding them up takes well below a millisecond.
constexpr size_t rows_per_call = 2'000;

// One shard's way through the partitions of one part.
class part_sum {
public:
    part_sum(tables::engine& engine, const aggregate_scan& scan, uint32_t part, aggregator& sums, control& watch)
        : _engine(engine), _plan(*scan.plan), _part(part), _range(scan.range.common(_plan.parts[part].covers)), _sums(sums),
          _watch(watch), _filter(_plan, part, _range, watch), _columns(stored_columns(_plan, part)) {}

    seastar::future<result<void>> run() {
        auto partitions = co_await find_partitions(_engine, _plan, _part, _range, _watch);
        if (!partitions) {
            co_return std::unexpected(partitions.error());
        }
        const bool is_newest_enough = _sums.wants_newest_only();
        for (std::span<const found_partition> rest = *partitions; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), ranges_per_call));
            rest = rest.subspan(some.size());
            std::vector<tables::key_range> ranges;
            for (const auto& p : some) {
                ranges.push_back(keys_of_partition(p.key, _range));
            }
            auto done = is_newest_enough ? add_newest(std::move(ranges)) : add(std::move(ranges), SIZE_MAX);
            if (auto outcome = co_await std::move(done); !outcome) {
                co_return outcome;
            }
        }
        co_return result<void>();
    }

private:
    // A range of which the newest row does not have all fields is looked through for the others.
    seastar::future<result<void>> add_newest(std::vector<tables::key_range> ranges) {
        if (auto done = co_await add(std::move(ranges), 1); !done) {
            co_return done;
        }
        std::vector<tables::key_range> more;
        for (auto& key : std::exchange(_incomplete, {})) {
            auto range = keys_of_partition(key.partition_key, _range);
            range.from.row_key = key.row_key + '\0';
            more.push_back(std::move(range));
        }
        co_return co_await add(std::move(more), SIZE_MAX);
    }

    seastar::future<result<void>> add(std::vector<tables::key_range> ranges, size_t rows_per_range) {
        while (!ranges.empty()) {
            const auto page = co_await _engine.scan({.table = _plan.parts[_part].id,
                                                     .ranges = ranges,
                                                     .predicate = &_filter,
                                                     .columns = _columns,
                                                     .rows_max = rows_per_call,
                                                     .rows_per_range_max = rows_per_range,
                                                     .deadline = _watch.slice_end()});
            if (!page) {
                co_return unless_dropped(page.error());
            }
            _watch.add_examined(page->rows_examined);
            for (const auto& row : page->rows) {
                const bool is_complete = _sums.add(_part, row);
                if (rows_per_range == 1 && !is_complete) {
                    _incomplete.push_back({std::string(row.partition_key), std::string(row.row_key)});
                }
            }
            if (auto ok = _watch.check(_sums.bytes()); !ok) {
                co_return ok;
            }
            ranges = page->next ? tables::ranges_from(std::move(ranges), *page->next) : std::vector<tables::key_range>();
            co_await seastar::coroutine::maybe_yield();
        }
        co_return result<void>();
    }

    tables::engine& _engine;
    const plan& _plan;
    const uint32_t _part;
    const time_range _range;
    aggregator& _sums;
    control& _watch;
    const row_filter _filter;
    const std::optional<std::vector<std::string>> _columns;
    std::vector<tables::entity_key> _incomplete; // newest rows without some field
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
            part_sum one(stores.tables, scan, part, *sums, watch);
            done = co_await one.run();
        }
        if (!done) {
            co_return std::unexpected(done.error());
        }
    }
    co_return seastar::make_foreign(std::move(sums));
}

} // namespace query
