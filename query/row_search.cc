#include "query/row_search.hh"

#include <algorithm>
#include <map>
#include <span>

#include <seastar/core/coroutine.hh>

#include "query/core/native/row_time.hh"
#include "query/core/native/stored_columns.hh"
#include "query/record_search.hh"
#include "query/row_filter.hh"

namespace query {
namespace {

// Partitions of one call: enough to make calls rare, few enough that what it finds narrows the next. The first call is small.
constexpr size_t ranges_per_call_min = 16;
constexpr size_t ranges_per_call_max = 256;
// Rows of one call.
constexpr size_t rows_per_call = 1'000;

// One shard's way through the partitions of one part.
class part_search {
public:
    part_search(row_stores stores, const row_search& search, uint32_t part, row_collector& found, control& watch)
        : _engine(stores.tables), _memo(stores.memo), _plan(*search.plan), _part(part), _range(search.range.common(_plan.parts[part].covers)),
          _rows_max(search.rows_max), _found(found), _watch(watch), _columns(stored_columns(_plan, part)) {}

    seastar::future<result<void>> run() {
        auto partitions = co_await find_partitions({_engine, _memo}, _plan, _part, narrowed(), _watch);
        if (!partitions) {
            co_return std::unexpected(partitions.error());
        }
        for (auto& p : *partitions) {
            _places.push_back({std::move(p.key), p.times, {}});
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
        std::ranges::sort(_places, std::greater(), [](const place& p) { return std::pair(p.times.end_ns, std::string_view(p.key)); });
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
        for (size_t at = 0; at < _places.size();) {
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
            if (auto done = co_await take(std::move(ranges), range, rows_per_place, std::span(_places).subspan(begin, at - begin)); !done) {
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
        while (!ranges.empty()) {
            auto page = co_await _engine.scan({.table = _plan.parts[_part].id,
                                               .ranges = ranges,
                                               .predicate = &filter,
                                               .columns = _columns,
                                               .rows_max = rows_per_call,
                                               .rows_per_range_max = rows_per_range,
                                               .deadline = _watch.slice_end()});
            if (!page) {
                co_return unless_dropped(page.error());
            }
            _watch.add_examined(page->rows_examined);
            if (rows_per_range == 1) {
                note_rows(*page, places);
            }
            _found.add(_part, std::move(page->batches), page->rows);
            if (auto ok = _watch.check(_found.bytes()); !ok) {
                co_return ok;
            }
            ranges = page->next ? tables::ranges_from(std::move(ranges), *page->next) : std::vector<tables::key_range>();
        }
        co_return result<void>();
    }

    // Which places have given a row, and how far back they have been looked through.
    void note_rows(const tables::scan_page& page, std::span<place> places) {
        std::map<std::string_view, place*> by_key;
        for (auto& p : places) {
            by_key.emplace(p.key, &p);
        }
        for (const auto& row : page.rows) {
            auto& p = *by_key.at(row.partition_key);
            p.after = row.row_key;
            if (const auto time = row_time(_plan.origin_of(_plan.parts[_part]).kind, row.row_key)) {
                p.times.end_ns = *time + 1;
            }
        }
    }

    tables::engine& _engine;
    partition_memo& _memo;
    const plan& _plan;
    const uint32_t _part;
    const time_range _range;
    const size_t _rows_max;
    row_collector& _found;
    control& _watch;
    const std::optional<std::vector<std::string>> _columns;
    std::vector<place> _places;
};

// Of a source: the collector puts in order what buffers and blobs give, and says how far back there is any use in looking.
record_search search_of_source(const row_search& search, uint32_t part, row_collector& found) {
    return {.plan = search.plan,
            .part = part,
            .range = search.range,
            .rows_max = search.rows_max,
            .wanted = [&found, order = search.plan->asked.order] {
                const auto worst = found.worst_time();
                return !worst                              ? time_range{}
                       : order == order_kind::descending ? time_range{*worst, time_range::forever}
                                                           : time_range{time_range::always, *worst + 1};
            },
            .take = [&found, part](std::string batch) -> result<size_t> {
                auto added = found.add(part_batch{part, std::move(batch)});
                return added ? result<size_t>(found.bytes()) : failed(added.error());
            }};
}

} // namespace

seastar::future<result<std::vector<part_batch>>> search_rows(row_stores stores, row_search search, control& watch) {
    row_collector found(*search.plan, search.rows_max);
    for (const auto part : search.parts) {
        result<void> done;
        if (search.plan->origin_of(search.plan->parts[part]).kind == origin_kind::source) {
            done = co_await search_records(*stores.logs, search_of_source(search, part, found), watch);
        } else {
            part_search one(stores, search, part, found, watch);
            done = co_await one.run();
        }
        if (!done) {
            co_return std::unexpected(done.error());
        }
    }
    co_return found.pack();
}

} // namespace query
