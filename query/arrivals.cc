#include "query/arrivals.hh"

#include <utility>

#include <seastar/core/coroutine.hh>

namespace query {

void arrivals::listen() {
    _engine.set_write_listener(_all.empty() ? nullptr : this);
    if (_logs != nullptr) {
        _logs->set_record_listener(_all.empty() ? nullptr : this);
    }
}

void arrivals::subscribe(uint64_t id, request asked, live_query::planner make) {
    _all[id] = seastar::make_lw_shared<subscriber>(std::move(asked), std::move(make));
    listen();
}

void arrivals::unsubscribe(uint64_t id) {
    const auto found = _all.find(id);
    if (found == _all.end()) {
        return;
    }
    found->second->is_ended = true;
    found->second->changed.broadcast();
    _all.erase(found);
    listen();
}

// A writer is in the middle of its write: whatever happens here is the live tail's loss, which it is told of.
template <class Add>
void arrivals::offer(Add add) noexcept {
    for (auto& [id, s] : _all) {
        const auto before = s->rows.size();
        try {
            if (!s->has_missed) {
                add(*s);
            }
        } catch (...) {
            s->has_missed = true;
        }
        for (size_t i = before; i < s->rows.size(); ++i) {
            s->bytes += sizeof(live_row) + s->rows[i].json.size();
        }
        s->has_missed |= s->bytes > arrivals_bytes_max;
        if (s->rows.size() > before || s->has_missed) {
            s->changed.signal();
        }
    }
}

void arrivals::rows_written(base::table_id table, const tables::row_batch_reader& rows, base::sequence last) noexcept {
    offer([&](subscriber& s) {
        s.query.add_rows(table, rows, s.rows);
        s.last = std::max(s.last, last);
    });
}

void arrivals::record_written(std::string_view source, const blobs::record& r) noexcept {
    offer([&](subscriber& s) { s.query.add_record(source, r, s.rows); });
}

seastar::future<result<std::vector<live_row>>> arrivals::next(uint64_t id) {
    const auto found = _all.find(id);
    if (found == _all.end()) {
        co_return std::vector<live_row>();
    }
    const auto s = found->second;
    while (s->rows.empty() && !s->has_missed && !s->is_ended) {
        co_await s->changed.wait();
    }
    if (s->is_ended) {
        co_return std::vector<live_row>();
    }
    if (s->has_missed) {
        co_return failed({base::errc::busy, "more arrives than this live tail takes; ask for less, by where, or again"});
    }
    auto rows = std::exchange(s->rows, {});
    s->bytes = 0;
    if (auto durable = co_await _engine.wait_readable(s->last); !durable) {
        co_return failed(durable.error());
    }
    co_return rows;
}

} // namespace query
