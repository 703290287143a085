#include "query/record_search.hh"

#include <seastar/core/coroutine.hh>

#include "blobs/source_scan.hh"
#include "query/core/records/record_matcher.hh"
#include "query/core/records/record_packer.hh"
#include "query/core/records/record_pushdown.hh"
#include "query/core/records/record_sum.hh"

namespace query {
namespace {

// So that no large piece of memory is needed.
constexpr size_t batch_bytes_max = 96 << 10;

blobs::time_span span_of(time_range r) {
    return {r.start_ns, r.end_ns == time_range::forever ? INT64_MAX : r.end_ns - 1};
}

time_range range_of(blobs::time_span s) {
    return {s.first_ns, s.last_ns == INT64_MAX ? time_range::forever : s.last_ns + 1};
}

// Within the bounds of a query.
class watched_consumer : public blobs::record_consumer {
public:
    explicit watched_consumer(control& watch) : _watch(watch) {}

    seastar::future<base::expected<void>> go_on(uint64_t examined) override {
        _watch.add_examined(examined);
        const auto held_bytes = co_await settle();
        if (auto ok = _watch.check(held_bytes); !ok && !_failure) {
            _failure = ok.error();
        }
        co_return _failure ? base::fail(base::errc::timed_out) : base::expected<void>();
    }

    void count_blocks(uint64_t blocks) override { _watch.add_blocks_read(blocks); }

    bool pass(const blobs::blob_damage& lost) override {
        if (_watch.passes_damage()) {
            _watch.add_damage({.table = {},
                               .first_partition = {},
                               .last_partition = {},
                               .blob = lost.blob,
                               .times = range_of(lost.times),
                               .why = lost.why.detail});
        }
        return _watch.passes_damage();
    }

    result<void> outcome(const base::expected<void>& scanned) const {
        if (_failure) {
            return std::unexpected(*_failure);
        }
        return scanned ? result<void>() : failed(scanned.error());
    }

protected:
    // How many bytes are held for the query.
    virtual seastar::future<size_t> settle() = 0;

    control& _watch;
    std::optional<failure> _failure;
};

class row_maker final : public watched_consumer {
public:
    // `is_found`: no record comes that does not match.
    row_maker(const record_search& search, bool is_found, control& watch)
        : watched_consumer(watch), _search(search), _is_found(is_found), _plan(*search.plan),
          _origin(_plan.parts[search.part].origin), _matcher(_plan.where, _plan.origins[_origin]), _packer(_plan, search.part),
          _after(_plan.after()) {}

    blobs::time_span begin_part() override {
        hand_over();
        _taken = 0;
        return span_of(_search.range.common(_search.wanted()));
    }

    bool take(const blobs::record& r) override {
        if (!_is_found && !_matcher.matches(r)) {
            return true;
        }
        const auto key = record_key(r.order);
        if (_after && !comes_before(*_after, {r.order.time_ns, _origin, 0, {}, key}, _plan.asked.order)) {
            return true;
        }
        _packer.add(r, key);
        if (_packer.bytes() >= batch_bytes_max) {
            hand_over();
        }
        return ++_taken < _search.rows_max && !_failure;
    }

    result<void> finish(const base::expected<void>& scanned) {
        if (scanned) {
            hand_over();
        }
        return outcome(scanned);
    }

private:
    seastar::future<size_t> settle() override {
        if (_search.settle) {
            _held_bytes = co_await _search.settle();
        }
        co_return _held_bytes + _packer.bytes();
    }

    void hand_over() {
        if (_packer.is_empty() || _failure) {
            return;
        }
        if (auto held = _search.take(_packer.take())) {
            _held_bytes = *held;
        } else {
            _failure = held.error();
        }
    }

    const record_search& _search;
    const bool _is_found;
    const plan& _plan;
    const uint32_t _origin;
    const record_matcher _matcher;
    record_packer _packer;
    const std::optional<position_view> _after;
    size_t _taken = 0; // of this buffer or blob
    size_t _held_bytes = 0;
};

class summer final : public watched_consumer {
public:
    summer(const plan& p, uint32_t part, time_range range, bool is_found, aggregator& sums, control& watch)
        : watched_consumer(watch), _range(range), _is_found(is_found), _matcher(p.where, p.origin_of(p.parts[part])), _sums(sums),
          _adding(p, part, sums) {}

    blobs::time_span begin_part() override { return span_of(_range); }
    bool take(const blobs::record& r) override {
        if (_is_found || _matcher.matches(r)) {
            _adding.add(r);
        }
        return true;
    }
    blobs::record_parts parts() const {
        const bool are_heads_enough = _adding.adds_heads_only() && (_is_found || _adding.asks_for_heads_only());
        return are_heads_enough ? blobs::record_parts::heads : blobs::record_parts::all;
    }

private:
    seastar::future<size_t> settle() override { return seastar::make_ready_future<size_t>(_sums.bytes()); }

    const time_range _range;
    const bool _is_found;
    const record_matcher _matcher;
    aggregator& _sums;
    record_sum _adding;
};

} // namespace

seastar::future<result<void>> search_records(blobs::log_store& store, record_search search, control& watch) {
    const auto& p = *search.plan;
    if (p.asked.partition) {
        co_return result<void>(); // records have none
    }
    const bool is_ascending = p.asked.order == order_kind::ascending;
    auto pushed = push_down(p.asked.where);
    row_maker rows(search, pushed.is_all, watch);
    auto scanned =
        co_await blobs::scan(store,
                             {.source = p.origin_of(p.parts[search.part]).name,
                              .where = std::move(pushed.where),
                              .order = is_ascending ? blobs::scan_order::oldest_first : blobs::scan_order::newest_first},
                             rows);
    co_return rows.finish(scanned);
}

seastar::future<result<void>> sum_records(blobs::log_store& store, const plan& p, uint32_t part, time_range range,
                                          aggregator& sums, control& watch) {
    if (p.asked.partition) {
        co_return result<void>(); // records have none
    }
    auto pushed = push_down(p.asked.where);
    summer adding(p, part, range, pushed.is_all, sums, watch);
    const auto scanned = co_await blobs::scan(store,
                                              {.source = p.origin_of(p.parts[part]).name,
                                               .where = std::move(pushed.where),
                                               .order = blobs::scan_order::newest_first,
                                               .parts = adding.parts()},
                                              adding);
    co_return adding.outcome(scanned);
}

} // namespace query
