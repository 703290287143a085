#include "query/aggregate_scan.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "query/core/native/row_time.hh"
#include "query/core/native/stored_columns.hh"
#include "query/record_search.hh"
#include "query/row_filter.hh"

namespace query {
namespace {

constexpr size_t ranges_per_call = 256;
// Of one call; adding them up takes well below a millisecond.
constexpr size_t rows_per_call = 2'000;

seastar::future<result<void>> scan_part(tables::engine& engine, const aggregate_scan& scan, const search_part& part,
                                        aggregator& sums, control& watch) {
    const auto& table = scan.plan->parts[part.part];
    const auto range = scan.range.common(table.covers);
    const row_filter filter(*scan.plan, part.part, range, watch);
    const auto columns = stored_columns(*scan.plan, part.part);
    std::optional<tables::entity_key> resume;
    for (size_t at = 0; at < part.partitions->size();) {
        std::vector<tables::key_range> ranges;
        size_t end = at;
        for (; end < part.partitions->size() && ranges.size() < ranges_per_call; ++end) {
            ranges.push_back(keys_of_partition((*part.partitions)[end], range));
        }
        if (resume) {
            ranges.front().from.row_key = resume->row_key;
        }
        auto page = co_await engine.scan({.table = table.id,
                                          .ranges = std::move(ranges),
                                          .predicate = &filter,
                                          .columns = columns,
                                          .rows_max = rows_per_call,
                                          .deadline = watch.slice_end()});
        if (!page) {
            co_return unless_dropped(page.error());
        }
        watch.add_examined(page->rows_examined);
        for (const auto& row : page->rows) {
            sums.add(part.part, row);
        }
        resume = std::move(page->next);
        at = end;
        if (resume) {
            at =
                static_cast<size_t>(std::ranges::lower_bound(*part.partitions, resume->partition_key) - part.partitions->begin());
        }
        if (auto ok = watch.check(sums.bytes()); !ok) {
            co_return ok;
        }
        co_await seastar::coroutine::maybe_yield();
    }
    co_return result<void>();
}

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
    for (const auto& part : scan.parts) {
        const bool is_source = scan.plan->origin_of(scan.plan->parts[part.part]).kind == origin_kind::source;
        auto adding = is_source ? search_records(*stores.logs, sum_of_source(scan, part.part, *sums), watch)
                                : scan_part(stores.tables, scan, part, *sums, watch);
        auto done = co_await std::move(adding);
        if (!done) {
            co_return std::unexpected(done.error());
        }
    }
    co_return seastar::make_foreign(std::move(sums));
}

} // namespace query
