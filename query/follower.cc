#include "query/follower.hh"

#include <seastar/core/coroutine.hh>

#include "base/checksum.hh"
#include "base/coding.hh"
#include "query/core/native/limits.hh"
#include "query/core/native/row_decoder.hh"

namespace query {
namespace {

constexpr int64_t second_ns = 1'000'000'000;
// How far behind the newest row every poll looks, and every tenth.
constexpr int64_t look_near_ns = 2 * second_ns;
constexpr int64_t look_back_ns = 60 * second_ns;
constexpr unsigned polls_per_look_back = 10;
// Some 64 bytes each.
constexpr size_t seen_rows_max = 200'000;

int64_t before(int64_t time_ns, int64_t span_ns) {
    int64_t earlier = 0;
    return __builtin_sub_overflow(time_ns, span_ns, &earlier) ? time_range::always : earlier;
}

} // namespace

follower::follower(executor& e, request asked) : _executor(e), _asked(std::move(asked)), _seen(seen_rows_max) {}

// Plans anew each time: periods begin and tables are dropped while it runs.
seastar::future<result<row_page>> follower::read(control& watch, order_kind order, size_t limit, time_range range) {
    auto asked = _asked;
    asked.order = order;
    asked.limit = limit;
    asked.range = range;
    auto planned = _executor.make_plan(std::move(asked));
    if (!planned) {
        co_return failed(planned.error());
    }
    _plan = std::make_unique<plan>(std::move(*planned));
    co_return co_await _executor.rows(*_plan, watch);
}

bool follower::take(const found_row& r) {
    std::string key;
    base::put_varint(key, _plan->parts[r.part].id.value);
    base::put_bytes(key, r.row.partition_key);
    key += r.row.row_key;
    return _seen.insert(r.time_ns, base::stable_hash(key));
}

// Points may lie in the future, up to a day: then those of the present are as new as they are.
int64_t follower::front_ns() const {
    const int64_t now = _executor.config().now_ns();
    return _newest_ns == time_range::always ? now : std::min(_newest_ns, now);
}

// Remembers what is there from before, in all that polls will look through.
seastar::future<result<void>> follower::remember(control& watch) {
    const int64_t start = before(front_ns(), look_back_ns);
    auto old = co_await read(watch, order_kind::descending, rows_max - 1, {start, time_range::forever});
    if (!old) {
        co_return std::unexpected(old.error());
    }
    const auto& known = old->rows->finish();
    for (const auto* r : known) {
        take(*r);
    }
    _seen.raise_floor(known.size() >= rows_max ? known.back()->time_ns + 1 : start);
    co_return result<void>();
}

// A row that comes between remembering and the look at the newest is either among these and sent with them, or unknown to both
// and found by the first poll.
seastar::future<result<void>> follower::begin(control& watch, sink send_row) {
    auto last = co_await read(watch, order_kind::descending, 1, {});
    if (!last) {
        co_return std::unexpected(last.error());
    }
    if (const auto& rows = last->rows->finish(); !rows.empty()) {
        _newest_ns = rows.front()->time_ns;
    }
    if (auto remembered = co_await remember(watch); !remembered) {
        co_return remembered;
    }
    auto newest = co_await read(watch, order_kind::descending, _asked.limit, {});
    if (!newest) {
        co_return std::unexpected(newest.error());
    }
    const auto& rows = newest->rows->finish();
    row_decoder decoder(*_plan);
    for (size_t i = std::min(rows.size(), _asked.limit); i-- > 0;) {
        take(*rows[i]);
        send_row(decoder.decode(*rows[i]), false);
        _newest_ns = rows[i]->time_ns;
    }
    co_return result<void>();
}

seastar::future<result<void>> follower::poll(control& watch, sink send_row) {
    const bool is_deep = ++_polls_count % polls_per_look_back == 0;
    const int64_t start = std::max(before(front_ns(), is_deep ? look_back_ns : look_near_ns), _seen.floor_ns());
    auto page = co_await read(watch, order_kind::ascending, rows_max - 1, {start, time_range::forever});
    if (!page) {
        co_return std::unexpected(page.error());
    }
    const auto& rows = page->rows->finish();
    row_decoder decoder(*_plan);
    int64_t newest = _newest_ns;
    for (const auto* r : rows) {
        if (take(*r)) {
            send_row(decoder.decode(*r), r->time_ns < _newest_ns);
            newest = std::max(newest, r->time_ns);
        }
    }
    _newest_ns = newest;
    _seen.raise_floor(before(front_ns(), look_back_ns));
    co_return result<void>();
}

} // namespace query
