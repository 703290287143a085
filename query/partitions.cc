#include "query/partitions.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>
#include <seastar/coroutine/switch_to.hh>

#include "base/spread.hh"
#include "query/core/native/row_matcher.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

// Of one call of the engine.
constexpr size_t partitions_per_call = 1024;
// With more candidates than this a walk over all partitions is as good: it also says between which times each has rows.
constexpr size_t candidates_max = 1024;

// A tick is a hundred nanoseconds, and keys tell them apart; ticks outside 64 bits of nanoseconds bound nothing.
time_range times_of(const tables::partition_span& span) {
    constexpr int64_t ns_per_tick = 100;
    const int64_t newest = base::unix_ns(span.newest);
    const int64_t oldest = base::unix_ns(span.oldest);
    const bool is_newest_known = base::tick_from_unix_ns(newest) == span.newest && newest < time_range::forever - ns_per_tick;
    const bool is_oldest_known = base::tick_from_unix_ns(oldest) == span.oldest;
    return {is_oldest_known ? oldest : time_range::always, is_newest_known ? newest + ns_per_tick : time_range::forever};
}

std::vector<found_partition> named_partitions(tables::engine& engine, const table_part& part, const std::string& name) {
    std::vector<found_partition> found;
    for (auto& key : named_keys(part, name)) {
        if (engine.owner_of(key) == seastar::this_shard_id()) {
            found.push_back({std::move(key), {}});
        }
    }
    std::ranges::sort(found, {}, &found_partition::key);
    return found;
}

// All partitions that `where` lets through, but for those that the damage hides.
seastar::future<result<std::vector<found_partition>>>
list_matching(partition_sources from_where, const plan& p, const table_part& part, control& watch, tables::damage_list& damage) {
    co_await seastar::coroutine::switch_to(from_where.group);
    std::vector<found_partition> found;
    row_matcher matcher(p.where, p.origin_of(part), part.spread);
    std::string text;
    size_t bytes = 0;
    for (std::optional<std::string> from = ""; from;) {
        auto some = co_await from_where.tables.partitions_here(part.id, *from, partitions_per_call,
                                                               watch.passes_damage() ? &damage : nullptr);
        if (!some) {
            auto outcome = watch.leave_out(part, some.error());
            co_return outcome ? result<std::vector<found_partition>>() : std::unexpected(outcome.error());
        }
        from = some->size() == partitions_per_call ? std::optional(some->back().key + '\0') : std::nullopt;
        for (auto& span : *some) {
            if (matcher.enter(tables::uncollate(span.key, text)) != verdict::no) {
                bytes += sizeof(found_partition) + span.key.size();
                const auto times = times_of(span);
                found.push_back({std::move(span.key), times});
            }
        }
        if (auto ok = watch.check(bytes); !ok) {
            co_return std::unexpected(ok.error());
        }
    }
    co_return found;
}

bool part_has_series(const plan& p, const table_part& part) {
    return p.origin_of(part).kind == origin_kind::family;
}

// Those of the candidates that `where` lets through. Their times are not known.
std::vector<found_partition> matching(const std::vector<std::string_view>& candidates, const plan& p, const table_part& part) {
    std::vector<found_partition> found;
    row_matcher matcher(p.where, p.origin_of(part), part.spread);
    std::string text;
    for (const auto& key : candidates) {
        if (matcher.enter(tables::uncollate(key, text)) != verdict::no) {
            found.push_back({std::string(key), {}});
        }
    }
    return found;
}

// False when the visitor has seen enough.
seastar::future<result<bool>> visit_first_rows(tables::engine& engine, base::table_id table,
                                               std::vector<tables::key_range> ranges, control& watch,
                                               const partition_visitor& visit) {
    while (!ranges.empty()) {
        const auto page =
            co_await engine.scan({.table = table, .ranges = ranges, .rows_per_range_max = 1, .deadline = watch.slice_end()});
        if (!page) {
            co_return unless_dropped(page.error()).transform([] { return true; });
        }
        watch.add_examined(page->rows_examined);
        for (const auto& row : page->rows) {
            if (!visit(row)) {
                co_return false;
            }
        }
        if (auto ok = watch.check(0); !ok) {
            co_return std::unexpected(ok.error());
        }
        ranges = page->next ? tables::ranges_from(std::move(ranges), *page->next) : std::vector<tables::key_range>();
    }
    co_return true;
}

} // namespace

std::vector<std::string> named_keys(const table_part& part, const std::string& name) {
    std::vector<std::string> keys;
    for (unsigned bucket = 0; bucket < part.spread; ++bucket) {
        auto key = name;
        if (part.spread > 1) {
            base::append_spread_suffix(bucket, key);
        }
        keys.push_back(tables::collate(key));
    }
    return keys;
}

seastar::future<result<std::vector<found_partition>>> find_partitions(partition_sources from, const plan& p, uint32_t index,
                                                                      time_range range, control& watch) {
    const auto& part = p.parts[index];
    if (p.asked.partition) {
        co_return named_partitions(from.tables, part, *p.asked.partition);
    }
    if (part_has_series(p, part) && series_index::can_find(p.where.condition())) {
        const auto index = co_await from.series.current(part.id, part.spread);
        const auto keys = index ? index->find(p.where.condition(), candidates_max) : std::nullopt;
        if (keys) {
            co_return matching(*keys, p, part);
        }
    }
    tables::damage_list damage;
    auto all = co_await list_matching(from, p, part, watch, damage);
    if (!all) {
        co_return all;
    }
    watch.add_damage(part, damage);
    std::erase_if(*all, [range](const found_partition& f) { return !f.times.overlaps(range); });
    co_return all;
}

seastar::future<result<void>> visit_partitions(seastar::sharded<tables::engine>& engines, base::table_id table, control& watch,
                                               partition_visitor visit) {
    for (unsigned shard = 0; shard < seastar::smp::count; ++shard) {
        for (std::optional<std::string> from = ""; from;) {
            const auto some = co_await engines.invoke_on(
                shard, [table, &from](tables::engine& e) { return e.partitions_here(table, *from, partitions_per_call); });
            if (!some) {
                co_return unless_dropped(some.error());
            }
            std::vector<tables::key_range> ranges;
            for (const auto& span : *some) {
                ranges.push_back(tables::key_range::partition(span.key));
            }
            from = some->size() == partitions_per_call ? std::optional(some->back().key + '\0') : std::nullopt;
            const auto goes_on = co_await visit_first_rows(engines.local(), table, std::move(ranges), watch, visit);
            if (!goes_on || !*goes_on) {
                co_return goes_on.transform([](bool) {});
            }
        }
    }
    co_return result<void>();
}

} // namespace query
