#include "tables/shard_scan.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "tables/core/key.hh"

namespace tables {
namespace {

// Between looks at the clock and at others who want the core; some ten microseconds of work.
constexpr unsigned rows_per_step = 64;
// So that a shard's rows fit a message without a large piece of memory; large entities come a few at a time.
constexpr size_t chunk_bytes_max = 128 << 10;

std::optional<block_skipper> skipper_for(const read_view& view, const row_predicate* predicate) {
    return predicate != nullptr ? std::optional<block_skipper>(std::in_place, view, *predicate) : std::nullopt;
}

} // namespace

base::expected<std::unique_ptr<shard_scan>> shard_scan::open(engine& e, const scan_request& request) {
    auto source = e.find_table(request.table);
    if (!source) {
        return base::fail(base::errc::table_not_found);
    }
    if (source->damage()) {
        return std::unexpected(*source->damage());
    }
    auto hold = e._work.try_hold();
    if (!hold) {
        return base::fail(base::errc::shutting_down, "the server is stopping");
    }
    auto view = source->view(e.visible());
    return std::unique_ptr<shard_scan>(new shard_scan(e, std::move(*hold), std::move(source), request, std::move(view)));
}

shard_scan::shard_scan(engine& e, seastar::gate::holder hold, table_ptr t, const scan_request& request, read_view view)
    : _engine(e), _hold(std::move(hold)), _table(std::move(t)), _ranges(request.ranges),
      _rows_per_range_max(request.rows_per_range_max),
      _predicate(request.predicate != nullptr ? request.predicate->make() : nullptr), _deadline(request.deadline),
      _view(std::move(view)), _skipper(skipper_for(_view, _predicate.get())), _cursor(_view, _skipper ? &*_skipper : nullptr) {
    if (request.columns) {
        _projection.emplace(*request.columns);
    }
    if (request.passes_damage) {
        _cursor.pass_damage();
    }
}

shard_scan::~shard_scan() {
    _table = nullptr;
    for (auto& m : _view.memtables) {
        _engine.retire(std::move(m));
    }
}

bool shard_scan::is_in_range() const {
    return _is_placed && !_cursor.is_hungry() && !_cursor.is_end() &&
           !_ranges[_range].is_past(_cursor.partition_key(), _cursor.row_key());
}

seastar::future<base::expected<bool>> shard_scan::settle_in_range() {
    for (; _range < _ranges.size(); ++_range, _is_placed = false) {
        if (!_is_placed) {
            _cursor.seek(_ranges[_range], _rows_per_range_max == 1 ? seek_for::first_row : seek_for::all_rows);
            _rows_of_range = 0;
            _is_placed = true;
        }
        while (_cursor.is_hungry()) {
            if (auto fed = co_await _cursor.feed(); !fed) {
                co_return std::unexpected(fed.error());
            }
        }
        if (is_in_range()) {
            co_return true;
        }
    }
    co_return false;
}

// Takes the rows that the predicate lets through into a batch.
struct shard_scan::collecting {
    shard_scan& scan;
    row_batch_builder out;

    bool visit(std::string_view pk, std::string_view rk, base::tick timestamp, const row_view& row) {
        if (scan._predicate) {
            const entity_view entity{uncollate(pk, scan._partition_key_text), uncollate(rk, scan._row_key_text), timestamp, row};
            if (!scan._predicate->matches(entity)) {
                return false;
            }
        }
        out.add_row(row_kind::put, pk, rk, scan._projection ? scan._projection->apply(row) : row, timestamp);
        return true;
    }
};

void shard_scan::go_on() {
    if (_rows_of_range == _rows_per_range_max) {
        ++_range;
        _is_placed = false;
    } else {
        _cursor.next();
    }
}

template <class Visitor, class Full>
seastar::future<base::expected<visit_end>> shard_scan::walk(Visitor& visitor, size_t rows_max, Full is_full) {
    visit_end end;
    const auto blocks_before = _cursor.blocks_read();
    for (size_t taken = 0;;) {
        if (!is_in_range()) {
            const auto found = co_await settle_in_range();
            if (!found) {
                co_return std::unexpected(found.error());
            }
            if (!*found) {
                break;
            }
        }
        const bool is_step = end.rows_examined % rows_per_step == rows_per_step - 1;
        if (taken >= rows_max || is_full() || (is_step && std::chrono::steady_clock::now() >= _deadline)) {
            end.next = entity_key{std::string(_cursor.partition_key()), std::string(_cursor.row_key())};
            break;
        }
        _newest_seen = std::max(_newest_seen, _cursor.versions().front().sequence);
        const auto row = _resolver.resolve({_cursor.partition_key(), _cursor.row_key()}, _cursor.versions());
        if (row.kind != row_kind::remove && _cursor.is_sure() &&
            visitor.visit(_cursor.partition_key(), _cursor.row_key(), row.timestamp, row.row)) {
            ++taken;
            ++_rows_of_range;
        }
        ++end.rows_examined;
        go_on();
        if (is_step) {
            co_await seastar::coroutine::maybe_yield();
        }
    }
    end.blocks_read = _cursor.blocks_read() - blocks_before;
    end.damage = _cursor.take_damage();
    if (auto durable = co_await _engine.wait_readable(_newest_seen); !durable) {
        co_return std::unexpected(durable.error());
    }
    if (_table->is_dropped()) {
        co_return base::fail(base::errc::table_not_found);
    }
    co_return end;
}

seastar::future<base::expected<visit_end>> shard_scan::visit(row_visitor& visitor, size_t rows_max) {
    co_return co_await walk(visitor, rows_max, [] { return false; });
}

seastar::future<base::expected<scan_chunk>> shard_scan::next(size_t rows_max) {
    collecting into{*this, row_batch_builder(_table->id())};
    auto end = co_await walk(into, rows_max, [&into] { return into.out.bytes().size() >= chunk_bytes_max; });
    if (!end) {
        co_return std::unexpected(end.error());
    }
    const size_t rows = into.out.rows_count();
    co_return scan_chunk{into.out.take(),       rows, std::move(end->next), end->rows_examined, end->blocks_read,
                         std::move(end->damage)};
}

} // namespace tables
