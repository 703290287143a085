#include "tables/newest_scan.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

namespace tables {
namespace {

// Between looks at others who want the core.
constexpr size_t ranges_per_step = 64;

} // namespace

newest_scan::newest_scan(const read_view& view, const newest_request& request, row_visitor& visitor)
    : _view(view), _request(request), _visitor(visitor) {
    for (const auto& m : view.memtables) {
        _partitions.emplace_back(*m, "");
        _rows.emplace_back(*m, view.snapshot);
    }
    for (const auto& s : view.segments) {
        _directories.push_back({.from = s, .page_number = {}, .page = {}});
    }
}

seastar::future<base::expected<newest_visit_end>> newest_scan::run() {
    for (size_t i = 0; i < _request.ranges.size(); ++i) {
        const auto& range = _request.ranges[i];
        auto found = find(range.from.partition_key);
        while (found.hungry != nullptr) {
            co_await feed(*found.hungry, range.from.partition_key);
            found = find(range.from.partition_key);
        }
        if (found.newest || !found.is_sure) {
            show(range, found);
        }
        if (i % ranges_per_step == ranges_per_step - 1) {
            co_await seastar::coroutine::maybe_yield();
        }
    }
    co_return std::move(_end);
}

// Most often it is the next one of the page at hand.
newest_scan::place newest_scan::settle(directory& d, std::string_view partition_key) {
    // The directory of a file of another core count still has what was taken into other files.
    if (!d.from->is_ours(partition_key)) {
        return place::nowhere;
    }
    if (d.page && d.index + 1 < d.page->partitions().size() && d.page->partitions()[d.index + 1].partition_key == partition_key) {
        ++d.index;
        return place::here;
    }
    const auto number = d.from->view().locate_page(partition_key);
    if (!number) {
        return place::nowhere;
    }
    if (number != d.page_number) {
        d.page_number = number;
        d.page = d.from->page_at_hand(*number);
        if (!d.page) {
            d.page_number.reset();
            return place::hungry;
        }
    }
    if (!d.page) {
        return place::unknown;
    }
    const auto found = d.page->partitions().find(partition_key);
    d.index = found.value_or(d.index);
    return found ? place::here : place::nowhere;
}

// A page that cannot be read only means that the blocks have to be asked.
seastar::future<> newest_scan::feed(directory& d, std::string_view partition_key) {
    const auto number = d.from->view().locate_page(partition_key);
    auto page = co_await d.from->page(*number);
    d.page_number = number;
    d.page = page ? std::move(*page) : nullptr;
    d.index = 0;
}

void newest_scan::offer(candidate& c, std::optional<base::tick> newest, memtable::cursor* rows, const directory* stored) {
    if (!newest || newest == c.newest) {
        c.is_sure = false;
    } else if (!c.newest || *newest > *c.newest) {
        c.newest = newest;
        c.rows = rows;
        c.stored = stored;
    }
}

newest_scan::candidate newest_scan::find(std::string_view partition_key) {
    candidate best;
    for (size_t i = 0; i < _partitions.size(); ++i) {
        auto& at = _partitions[i];
        if (!at.is_end() && at.key() < partition_key) {
            at.next();
        }
        if (!at.is_end() && at.key() < partition_key) {
            at = memtable::partition_cursor(*_view.memtables[i], partition_key);
        }
        if (!at.is_end() && at.key() == partition_key) {
            offer(best, at.newest(), &_rows[i], nullptr);
        }
    }
    for (auto& d : _directories) {
        switch (settle(d, partition_key)) {
        case place::here: offer(best, d.page->partitions()[d.index].newest, nullptr, &d); break;
        case place::nowhere: break;
        case place::unknown: best.is_sure = false; break;
        case place::hungry: return {.hungry = &d};
        }
    }
    return best;
}

std::span<const row_version> newest_scan::versions_of(const candidate& found, const key_range& range, std::string_view& row_key) {
    if (!found.is_sure) {
        return {};
    }
    if (found.rows != nullptr) {
        auto& at = *found.rows;
        at.seek(range.from.partition_key, base::inverted_text(*found.newest));
        if (at.is_end() || at.partition_key() != range.from.partition_key) {
            return {};
        }
        row_key = at.row_key();
        // What came after the snapshot is not shown, and makes an older one the newest.
        const bool is_newest = row_key.starts_with(base::inverted_text(*found.newest));
        return is_newest ? at.versions() : std::span<const row_version>();
    }
    const auto& page = found.stored->page->partitions();
    const auto partition = page[found.stored->index];
    if (!partition.newest_row) {
        return {};
    }
    const auto row = page.newest_row(partition);
    row_key = row.row_key;
    _stored = row_version{{}, row.kind, row.timestamp, row.row};
    return {&*_stored, 1};
}

void newest_scan::show(const key_range& range, const candidate& found) {
    const auto& pk = range.from.partition_key;
    std::string_view row_key;
    const auto versions = versions_of(found, range, row_key);
    if (versions.empty() || !range.contains(pk, row_key)) {
        _end.left.push_back(range);
        return;
    }
    _end.newest_seen = std::max(_end.newest_seen, versions.front().sequence);
    const auto row = _resolver.resolve({pk, row_key}, versions);
    ++_end.rows_examined;
    if (row.kind == row_kind::remove || !_visitor.visit(pk, row_key, row.timestamp, row.row)) {
        _end.left.push_back({entity_key{pk, std::string(row_key)}.successor(), range.before});
    }
}

} // namespace tables
