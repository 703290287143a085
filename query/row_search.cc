#include "query/row_search.hh"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/switch_to.hh>

#include "query/core/native/row_time.hh"
#include "query/core/native/stored_columns.hh"
#include "query/record_search.hh"
#include "query/row_filter.hh"
#include "query/search_effort.hh"
#include "tables/core/key.hh"
#include "tables/core/projection.hh"

namespace query {
namespace {

// Partitions of one call: enough to make calls rare, few enough that what it finds narrows the next. The first call is small.
constexpr size_t ranges_per_call_min = 16;
constexpr size_t ranges_per_call_max = 256;
// Rows of one call.
constexpr size_t rows_per_call = 1'000;

// Takes rows that the filter lets through, where they lie.
class row_taker final : public tables::row_visitor {
public:
    row_taker(base::table_id table, const row_filter& filter, const std::optional<std::vector<std::string>>& columns)
        : _filter(filter.make()), _rows(table) {
        if (columns) {
            _projection.emplace(*columns);
        }
    }

    bool visit(std::string_view pk, std::string_view rk, base::tick timestamp, const tables::row_view& row) override {
        const tables::entity_view entity{tables::uncollate(pk, _partition_key), tables::uncollate(rk, _row_key), timestamp, row};
        if (!_filter->matches(entity)) {
            return false;
        }
        _rows.add_row(tables::row_kind::put, pk, rk, _projection ? _projection->apply(row) : row, timestamp);
        return true;
    }
    bool is_empty() const { return _rows.empty(); }
    std::string take() { return _rows.take(); }

private:
    std::unique_ptr<tables::row_predicate> _filter;
    std::optional<tables::projection> _projection;
    tables::row_batch_builder _rows;
    std::string _partition_key, _row_key; // scratch
};

// A range has further pages, so one of them may be shorter than asked for; the newest n rows are n rows.
seastar::future<size_t> hold_less(const plan& p, row_collector& found, const control& watch) {
    if (found.is_loose()) {
        co_await tighten(found);
    }
    while (p.asked.verb == verb::range && watch.is_much(found.bytes()) && found.shrink()) {
        co_await tighten(found);
    }
    co_return found.bytes();
}

// One shard's way through the partitions of one part.
class part_search {
public:
    part_search(row_stores stores, const row_search& search, uint32_t part, row_collector& found, control& watch,
                search_effort& spent)
        : _engine(stores.tables), _series(stores.series), _group(stores.group), _plan(*search.plan), _part(part),
          _range(search.range.common(_plan.parts[part].covers)), _rows_max(search.rows_max), _found(found), _watch(watch),
          _effort(spent), _columns(stored_columns(_plan, part)) {}

    seastar::future<result<void>> run() {
        auto partitions = co_await find_partitions({_engine, _series, _group}, _plan, _part, narrowed(), _watch);
        if (!partitions) {
            co_return std::unexpected(partitions.error());
        }
        _effort.add_partitions(partitions->size());
        for (auto& p : *partitions) {
            _effort.add_times(p.times);
            _places.push_back({std::move(p.key), p.times, {}});
        }
        if (!_effort.is_light()) {
            co_await seastar::coroutine::switch_to(_group);
        }
        if (is_descending() && _places.size() > 1) {
            sort_newest_first();
            if (auto done = co_await visit(1); !done) {
                co_return done;
            }
            std::erase_if(_places, [](const place& p) { return p.after.empty(); });
            sort_newest_first();
        }
        // Rows of a partition lie newest first, so its oldest ones are known when all have been looked at.
        co_return co_await visit(is_descending() ? _rows_max : SIZE_MAX);
    }

private:
    // A partition, and how far it has been looked through.
    struct place {
        std::string key;
        time_range times;  // of the rows that have not been looked at
        std::string after; // the row key before them
    };

    bool is_descending() const { return _plan.asked.order == order_kind::descending; }

    void sort_newest_first() {
        std::ranges::sort(_places, std::greater(),
                          [](const place& p) { return std::pair(p.times.end_ns, std::string_view(p.key)); });
    }

    // Without what is certainly behind the last row that is wanted.
    time_range narrowed() const {
        const auto worst = _found.worst_time();
        if (!worst) {
            return _range;
        }
        return _range.common(is_descending() ? time_range{*worst, time_range::forever}
                                             : time_range{time_range::always, *worst + 1});
    }

    // Looks for the first rows of each place, at most so many.
    seastar::future<result<void>> visit(size_t rows_per_place) {
        size_t ranges_max = rows_per_place == 1 ? ranges_per_call_max : ranges_per_call_min;
        for (size_t at = 0; at < _places.size() && !_effort.is_given_up();) {
            const auto range = narrowed();
            if (is_descending() && _places[at].times.end_ns <= range.start_ns) {
                break; // and so are all that follow
            }
            const size_t begin = at;
            std::vector<tables::key_range> ranges;
            for (; at < _places.size() && ranges.size() < ranges_max; ++at) {
                if (_places[at].times.overlaps(range)) {
                    ranges.push_back(keys_of(_places[at], range));
                }
            }
            std::erase_if(ranges, [](const tables::key_range& r) { return r.before && *r.before <= r.from; });
            std::ranges::sort(ranges, {}, &tables::key_range::from);
            if (auto done =
                    co_await take(std::move(ranges), range, rows_per_place, std::span(_places).subspan(begin, at - begin));
                !done) {
                co_return done;
            }
            ranges_max = std::min(2 * ranges_max, ranges_per_call_max);
        }
        co_return result<void>();
    }

    static tables::key_range keys_of(const place& p, time_range range) {
        auto keys = keys_of_partition(p.key, range);
        if (!p.after.empty()) {
            keys.from.row_key = std::max(keys.from.row_key, p.after + '\0');
        }
        return keys;
    }

    seastar::future<result<void>> take(std::vector<tables::key_range> ranges, time_range range, size_t rows_per_range,
                                       std::span<place> places) {
        const row_filter filter(_plan, _part, range, _watch);
        if (rows_per_range == 1) {
            auto left = co_await take_newest(std::move(ranges), filter, places);
            if (!left) {
                co_return std::unexpected(left.error());
            }
            ranges = std::move(*left);
        }
        while (!ranges.empty() && !_effort.is_given_up()) {
            if (!_effort.is_light()) {
                co_await seastar::coroutine::switch_to(_group);
            }
            auto page = co_await _engine.scan({.table = _plan.parts[_part].id,
                                               .ranges = ranges,
                                               .predicate = &filter,
                                               .columns = _columns,
                                               .rows_max = rows_per_call,
                                               .rows_per_range_max = rows_per_range,
                                               .deadline = std::min(_effort.slice_end(), _watch.slice_end()),
                                               .passes_damage = _watch.passes_damage()});
            if (!page) {
                co_return _watch.leave_out(_plan.parts[_part], page.error());
            }
            _watch.add_damage(_plan.parts[_part], page->damage);
            _watch.add_blocks_read(page->blocks_read);
            _watch.add_examined(page->rows_examined);
            _effort.add_rows(page->rows_examined);
            if (rows_per_range == 1) {
                note_rows(page->rows, places);
            }
            _found.add(_part, std::move(page->batches), page->rows);
            if (auto ok = _watch.check(co_await hold_less(_plan, _found, _watch)); !ok) {
                co_return ok;
            }
            ranges =
                page->next ? still_wanted(tables::ranges_from(std::move(ranges), *page->next)) : std::vector<tables::key_range>();
        }
        co_return result<void>();
    }

    // What has been found may leave less to look at in each of the ranges, which are of one partition each.
    std::vector<tables::key_range> still_wanted(std::vector<tables::key_range> ranges) const {
        if (!_found.worst_time()) {
            return ranges;
        }
        const auto range = narrowed();
        for (auto& r : ranges) {
            auto keys = keys_of_partition(r.from.partition_key, range);
            r.from = std::max(r.from, std::move(keys.from));
            r.before = r.before && keys.before ? std::min(*r.before, *keys.before) : r.before;
        }
        std::erase_if(ranges, [](const tables::key_range& r) { return r.before && *r.before <= r.from; });
        return ranges;
    }

    // The newest row of each range, where it is easily known; the ranges that are left.
    seastar::future<result<std::vector<tables::key_range>>> take_newest(std::vector<tables::key_range> ranges,
                                                                        const row_filter& filter, std::span<place> places) {
        const auto table = _plan.parts[_part].id;
        row_taker taker(table, filter, _columns);
        auto end = co_await _engine.visit_newest_here({.table = table, .ranges = std::move(ranges)}, taker);
        if (!end) {
            co_return _watch.leave_out(_plan.parts[_part], end.error()).transform([] {
                return std::vector<tables::key_range>();
            });
        }
        _watch.add_examined(end->rows_examined);
        if (!taker.is_empty()) {
            auto rows = tables::owned_rows::open(taker.take());
            if (!rows) {
                co_return failed(rows.error());
            }
            std::vector<tables::batch_row> found;
            for (const auto& row : rows->rows()) {
                found.push_back(row);
            }
            note_rows(found, places);
            std::vector<tables::owned_rows> batches;
            batches.push_back(std::move(*rows));
            _found.add(_part, std::move(batches), found);
        }
        if (auto ok = _watch.check(co_await hold_less(_plan, _found, _watch)); !ok) {
            co_return std::unexpected(ok.error());
        }
        co_return std::move(end->left);
    }

    // Which places have given a row, and how far back they have been looked through.
    void note_rows(std::span<const tables::batch_row> rows, std::span<place> places) {
        std::map<std::string_view, place*> by_key;
        for (auto& p : places) {
            by_key.emplace(p.key, &p);
        }
        for (const auto& row : rows) {
            auto& p = *by_key.at(row.partition_key);
            p.after = row.row_key;
            // A point's key is its time; in a table several rows may have the same.
            const auto kind = _plan.origin_of(_plan.parts[_part]).kind;
            if (const auto time = row_time(kind, row.row_key)) {
                p.times.end_ns = kind == origin_kind::family ? *time : *time + 1;
            }
        }
    }

    tables::engine& _engine;
    series_indexes& _series;
    const seastar::scheduling_group _group; // of what is more than a moment's work
    const plan& _plan;
    const uint32_t _part;
    const time_range _range;
    const size_t _rows_max;
    row_collector& _found;
    control& _watch;
    search_effort& _effort;
    const std::optional<std::vector<std::string>> _columns;
    std::vector<place> _places;
};

// Of a source: the collector puts in order what buffers and blobs give, and says how far back there is any use in looking.
record_search search_of_source(const row_search& search, uint32_t part, row_collector& found, const control& watch) {
    return {.plan = search.plan,
            .part = part,
            .range = search.range,
            .rows_max = search.rows_max,
            .wanted =
                [&found, order = search.plan->asked.order] {
                    const auto worst = found.worst_time();
                    return !worst                            ? time_range{}
                           : order == order_kind::descending ? time_range{*worst, time_range::forever}
                                                             : time_range{time_range::always, *worst + 1};
                },
            .take = [&found, part](std::string batch) -> result<size_t> {
                auto added = found.add(part_batch{part, std::move(batch)});
                return added ? result<size_t>(found.bytes()) : failed(added.error());
            },
            .settle = [&found, &watch, plan = search.plan] { return hold_less(*plan, found, watch); }};
}

} // namespace

seastar::future<> tighten(row_collector& found) {
    auto next = found.successor();
    while (auto piece = found.pack_some()) {
        [[maybe_unused]] const auto added = next.add(std::move(*piece));
        assert(added);
        co_await seastar::coroutine::maybe_yield();
    }
    found = std::move(next);
}

seastar::future<result<search_end>> find_rows(row_stores stores, const row_search& search, control& watch, row_collector& found) {
    search_effort spent(search.bounds);
    for (size_t i = 0; i < search.parts.size(); ++i) {
        const auto part = search.parts[i];
        result<void> done;
        if (search.plan->origin_of(search.plan->parts[part]).kind == origin_kind::source) {
            co_await seastar::coroutine::switch_to(stores.group);
            done = co_await search_records(*stores.logs, search_of_source(search, part, found, watch), watch);
        } else {
            part_search one(stores, search, part, found, watch, spent);
            done = co_await one.run();
        }
        if (!done) {
            co_return std::unexpected(done.error());
        }
        if (spent.is_given_up()) {
            for (const auto other : std::span(search.parts).subspan(i + 1)) {
                spent.add_times(search.plan->parts[other].covers);
            }
            break;
        }
    }
    co_return search_end{spent.is_given_up(), spent.times()};
}

seastar::future<result<shard_rows>> search_rows(row_stores stores, row_search search, control& watch) {
    row_collector found(*search.plan, search.rows_max);
    const auto end = co_await find_rows(stores, search, watch, found);
    if (!end) {
        co_return std::unexpected(end.error());
    }
    shard_rows rows{{}, found.rows_max(), *end};
    if (end->is_given_up) {
        co_return rows;
    }
    while (auto piece = found.pack_some()) {
        rows.batches.push_back(std::move(*piece));
        co_await seastar::coroutine::maybe_yield();
    }
    co_return rows;
}

} // namespace query
