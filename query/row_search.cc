#include "query/row_search.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>

#include "query/core/native/row_time.hh"
#include "query/core/native/stored_columns.hh"
#include "query/record_search.hh"
#include "query/row_filter.hh"

namespace query {
namespace {

// Partitions of one call: enough to make calls rare, few enough that what it finds narrows the next.
constexpr size_t ranges_per_call = 256;
// Rows of one call, once the first rows are there.
constexpr size_t rows_per_call = 1'000;

// One shard's way through the partitions of one part.
class part_search {
public:
    part_search(tables::engine& engine, const row_search& search, const search_part& part, row_collector& found, control& watch)
        : _engine(engine), _plan(*search.plan), _part(part), _range(search.range.common(_plan.parts[part.part].covers)),
          _rows_max(search.rows_max), _found(found), _watch(watch), _columns(stored_columns(_plan, part.part)) {}

    seastar::future<result<void>> run() {
        while (_at < _part.partitions->size()) {
            const auto range = narrowed();
            auto ranges = next_ranges(range);
            if (ranges.empty()) {
                continue; // all of them turned out to be empty; next_ranges() has moved on
            }
            const row_filter filter(_plan, _part.part, range, _watch);
            auto page = co_await _engine.scan({.table = _plan.parts[_part.part].id,
                                               .ranges = std::move(ranges),
                                               .predicate = &filter,
                                               .columns = _columns,
                                               .rows_max = page_rows(),
                                               .deadline = _watch.slice_end()});
            if (!page) {
                co_return unless_dropped(page.error());
            }
            _watch.add_examined(page->rows_examined);
            move_on(*page);
            _found.add(_part.part, std::move(page->batches), page->rows);
            if (auto ok = _watch.check(_found.bytes()); !ok) {
                co_return ok;
            }
        }
        co_return result<void>();
    }

private:
    bool is_descending() const { return _plan.asked.order == order_kind::descending; }

    // Without what is certainly behind the last row that is wanted.
    time_range narrowed() const {
        const auto worst = _found.worst_time();
        if (!worst) {
            return _range;
        }
        return _range.common(is_descending() ? time_range{*worst, time_range::forever}
                                             : time_range{time_range::always, *worst + 1});
    }

    std::vector<tables::key_range> next_ranges(time_range range) {
        std::vector<tables::key_range> ranges;
        size_t end = _at;
        for (; end < _part.partitions->size() && ranges.size() < ranges_per_call; ++end) {
            auto keys = keys_of_partition((*_part.partitions)[end], range);
            if (end == _at && _resume) {
                keys.from.row_key = std::max(keys.from.row_key, *_resume);
            }
            if (!keys.before || keys.from < *keys.before) {
                ranges.push_back(std::move(keys));
            }
        }
        _end = end;
        if (ranges.empty()) {
            go_to(end);
        }
        return ranges;
    }

    // The first partition alone can fill a page; then it is clear how far back the others matter.
    size_t page_rows() const { return _found.worst_time() ? std::max(_rows_max, rows_per_call) : _rows_max; }

    void go_to(size_t partition) {
        _at = partition;
        _resume.reset();
        _taken = 0;
    }

    void move_on(const tables::scan_page& page) {
        if (!page.next) {
            return go_to(_end);
        }
        const auto next = static_cast<size_t>(std::ranges::lower_bound(*_part.partitions, page.next->partition_key) -
                                              _part.partitions->begin());
        if (next != _at) {
            go_to(next);
        }
        _resume = page.next->row_key;
        _taken += static_cast<size_t>(std::ranges::count(page.rows, page.next->partition_key, &tables::batch_row::partition_key));
        // Rows of a partition come newest first: once it has given a whole page, what follows is older than all of it.
        if (is_descending() && _taken >= _rows_max) {
            go_to(_at + 1);
        }
    }

    tables::engine& _engine;
    const plan& _plan;
    const search_part& _part;
    const time_range _range;
    const size_t _rows_max;
    row_collector& _found;
    control& _watch;
    const std::optional<std::vector<std::string>> _columns;
    size_t _at = 0;                     // the partition to go on with
    size_t _end = 0;                    // behind those of the call under way
    std::optional<std::string> _resume; // where in it
    size_t _taken = 0;                  // rows it has given
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
    for (const auto& part : search.parts) {
        result<void> done;
        if (search.plan->origin_of(search.plan->parts[part.part]).kind == origin_kind::source) {
            done = co_await search_records(*stores.logs, search_of_source(search, part.part, found), watch);
        } else {
            part_search one(stores.tables, search, part, found, watch);
            done = co_await one.run();
        }
        if (!done) {
            co_return std::unexpected(done.error());
        }
    }
    co_return found.pack();
}

} // namespace query
