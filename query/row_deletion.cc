#include "query/row_deletion.hh"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "query/core/native/row_matcher.hh"
#include "query/core/native/row_time.hh"
#include "tables/core/key.hh"
#include "tables/core/row_batch.hh"

namespace query {
namespace {

constexpr size_t deleted_ranges_per_call = 256;
// Rows of one batch, which is one record of the log.
constexpr size_t rows_per_batch = 1'000;

// Writes a remove for every row that matches.
class removing final : public tables::row_visitor {
public:
    removing(const plan& p, const table_part& part, time_range range)
        : _kind(p.origin_of(part).kind), _range(range), _matcher(p.where, p.origin_of(part), part.spread), _batch(part.id) {}

    bool visit(std::string_view partition_key, std::string_view row_key, base::tick timestamp,
               const tables::row_view& row) override {
        const auto time = row_time(_kind, row_key);
        if (!time || !_range.contains(*time)) {
            return false;
        }
        const tables::entity_view entity{tables::uncollate(partition_key, _partition_text), tables::uncollate(row_key, _row_text),
                                         timestamp, row};
        if (!_matcher.matches(*time, entity)) {
            return false;
        }
        _batch.add_remove(partition_key, row_key);
        return true;
    }

    uint32_t rows_count() const { return _batch.rows_count(); }
    std::string take() { return _batch.take(); }

private:
    const origin_kind _kind;
    const time_range _range;
    row_matcher _matcher;
    tables::row_batch_builder _batch;
    std::string _partition_text, _row_text;
};

// One shard's way through the partitions of one table.
class part_deletion {
public:
    part_deletion(row_stores stores, const plan& p, uint32_t part, control& watch, uint64_t& deleted)
        : _stores(stores), _plan(p), _part(part), _range(p.asked.range.common(p.parts[part].covers)), _watch(watch),
          _deleted(deleted), _rows(p, p.parts[part], _range) {}

    seastar::future<result<void>> run() {
        auto partitions = co_await find_partitions({_stores.tables, _stores.series, _stores.group}, _plan, _part, _range, _watch);
        if (!partitions) {
            co_return std::unexpected(partitions.error());
        }
        for (std::span<const found_partition> rest = *partitions; !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), deleted_ranges_per_call));
            rest = rest.subspan(some.size());
            std::vector<tables::key_range> ranges;
            for (const auto& p : some) {
                ranges.push_back(keys_of_partition(p.key, _range));
            }
            if (auto done = co_await remove(std::move(ranges)); !done) {
                co_return done;
            }
        }
        co_return result<void>();
    }

private:
    seastar::future<result<void>> remove(std::vector<tables::key_range> ranges) {
        while (!ranges.empty()) {
            const auto end = co_await _stores.tables.visit_here(
                {.table = _plan.parts[_part].id, .ranges = ranges, .rows_max = rows_per_batch, .deadline = _watch.slice_end()},
                _rows);
            if (!end) {
                co_return unless_dropped(end.error());
            }
            _watch.add_examined(end->rows_examined);
            if (auto done = co_await write(); !done) {
                co_return done;
            }
            if (auto ok = _watch.check(0); !ok) {
                co_return ok;
            }
            ranges = end->next ? tables::ranges_from(std::move(ranges), *end->next) : std::vector<tables::key_range>();
        }
        co_return result<void>();
    }

    seastar::future<result<void>> write() {
        const auto count = _rows.rows_count();
        if (count == 0) {
            co_return result<void>();
        }
        const auto written = co_await _stores.tables.upsert(seastar::this_shard_id(), _rows.take());
        if (!written) {
            co_return unless_dropped(written.error());
        }
        _deleted += count;
        co_return result<void>();
    }

    row_stores _stores;
    const plan& _plan;
    const uint32_t _part;
    const time_range _range;
    control& _watch;
    uint64_t& _deleted;
    removing _rows;
};

seastar::future<deletion_report> delete_here(row_stores stores, const plan& p, control& watch) {
    deletion_report report;
    for (uint32_t part = 0; part < p.parts.size() && report.outcome; ++part) {
        if (p.parts[part].covers.overlaps(p.asked.range)) {
            part_deletion one(stores, p, part, watch, report.rows_count);
            report.outcome = co_await one.run();
        }
    }
    co_return report;
}

} // namespace

base::expected<request> parse_deletion(std::string family, std::span<const parameter> parameters, int64_t now_ns) {
    constexpr std::string_view known[] = {"where", "start", "end"};
    for (const auto& p : parameters) {
        if (!std::ranges::contains(known, p.name)) {
            return base::fail(base::errc::invalid_argument,
                              fmt::format("there is no parameter '{}' here; there are where, start, end", p.name));
        }
    }
    std::vector<parameter> all(parameters.begin(), parameters.end());
    all.push_back({"from", "*"});
    auto asked = parse_request(verb::range, all, now_ns);
    // A filter of blanks alone is none.
    if (asked && asked->where.is_empty() && asked->range == time_range()) {
        return base::fail(base::errc::invalid_argument,
                          "say which rows are to go, by where, start or end; all of a family go by dropping its tables");
    }
    if (asked) {
        asked->from = {{from_item::kind::family, std::move(family)}};
    }
    return asked;
}

seastar::future<deletion_report> delete_rows(executor& on, const plan& p, control& watch) {
    deletion_report report;
    co_await seastar::coroutine::parallel_for_each(
        std::views::iota(0u, on.shards_count()), [&](unsigned shard) -> seastar::future<> {
            auto part =
                co_await on.container().invoke_on(shard, [&](executor& there) { return delete_here(there.stores(), p, watch); });
            report.rows_count += part.rows_count;
            if (!part.outcome) {
                report.outcome = std::move(part.outcome);
            }
        });
    co_return report;
}

} // namespace query
