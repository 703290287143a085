// Aggregates: each shard adds up its own rows, the shard that was asked adds up the sums.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "query/executor.hh"

namespace query {
namespace {

// Of what a shard may hold for a query: values kept so that percentiles are exact.
constexpr size_t exact_share = 4;

// What the cursor leaves of the range: whole buckets, as the one it stands in is cut among groups. Oldest first, a rate needs
// what is before its bucket too: a counter's step begins at the sample before.
time_range remaining_range(const plan& p) {
    const auto& asked = p.asked;
    const bool has_rate = std::ranges::contains(asked.aggregates->calls, aggregate_kind::rate, &aggregate_call::kind);
    if (!asked.after || !asked.aggregates->every_ns || (has_rate && asked.order == order_kind::ascending)) {
        return asked.range;
    }
    int64_t end = 0;
    if (__builtin_add_overflow(asked.after->time_ns, *asked.aggregates->every_ns, &end)) {
        end = time_range::forever;
    }
    return asked.range.common(asked.order == order_kind::ascending ? time_range{asked.after->time_ns, time_range::forever}
                                                                   : time_range{time_range::always, end});
}

} // namespace

class executor::sum {
public:
    sum(executor& on, const plan& p, control& watch)
        : _on(on), _plan(p), _watch(watch), _range(remaining_range(p)),
          _exact_bytes_max(on.config().budgets.memory_bytes_max / on.shards_count() / exact_share),
          _sums(std::make_unique<aggregator>(p, _exact_bytes_max)) {}

    seastar::future<result<aggregate_page>> run() {
        std::optional<bucket_key> after;
        if (_plan.asked.after) {
            auto group = decode_group(_plan.asked.after->partition_key, _plan.asked.aggregates->by_tags.size());
            if (!group) {
                co_return failed(group.error());
            }
            after = bucket_key{_plan.asked.after->time_ns, std::move(*group)};
        }
        auto done = co_await scan_shards();
        if (!done) {
            co_return std::unexpected(done.error());
        }
        while (_sums->finish_some()) {
            co_await seastar::coroutine::maybe_yield();
        }
        co_return make_page(after);
    }

private:
    // Newest first.
    std::vector<uint32_t> parts_in_range() const {
        std::vector<uint32_t> parts;
        for (auto part = static_cast<uint32_t>(_plan.parts.size()); part-- > 0;) {
            if (_plan.parts[part].covers.overlaps(_range)) {
                parts.push_back(part);
            }
        }
        return parts;
    }

    // What this shard has added up is the beginning; what the others have is added to it.
    seastar::future<result<void>> scan_shards() {
        result<void> outcome;
        const auto parts = parts_in_range();
        std::vector<foreign_aggregator> others;
        const auto shards = _on.shards_for(_plan, parts);
        co_await seastar::coroutine::parallel_for_each(shards, [&](unsigned shard) -> seastar::future<> {
            auto sums = co_await _on.ask(shard, _plan, parts, [&](executor& there) {
                return scan_aggregates(there.stores(), {&_plan, parts, _range, _exact_bytes_max}, _watch);
            });
            if (!sums) {
                outcome = std::unexpected(sums.error());
            } else if (shard == seastar::this_shard_id()) {
                _sums = sums->release();
            } else {
                others.push_back(std::move(*sums));
            }
        });
        for (size_t i = 0; i < others.size() && outcome; ++i) {
            for (aggregator::merging all(*_sums, *others[i]); all.step();) {
                co_await seastar::coroutine::maybe_yield();
            }
            co_await others[i].destroy();
            outcome = _watch.check(_sums->bytes());
        }
        co_return outcome;
    }

    aggregate_page make_page(const std::optional<bucket_key>& after) {
        const size_t limit = _plan.asked.limit;
        auto cells = _sums->cells(after, limit + 1);
        aggregate_page page{std::move(_sums), {}, {}};
        page.facts.range = _plan.asked.range;
        page.facts.rows_examined = _watch.rows_examined();
        page.facts.rows_skipped = _watch.rows_skipped();
        page.facts.blocks_read = _watch.blocks_read();
        page.facts.damage = _watch.damage();
        page.facts.percentile_error = page.sums->is_exact() ? 0 : quantile_error;
        if (cells.size() > limit) {
            cells.pop_back();
            const auto& last = cells.back()->first;
            page.facts.cursor = encode_cursor({_plan.asked.fingerprint,
                                               _plan.asked.range,
                                               {last.time_ns, {origin_kind::family, {}}, 0, encode_group(last.group), {}},
                                               _plan.asked.now_ns});
        }
        page.cells = std::move(cells);
        return page;
    }

    executor& _on;
    const plan& _plan;
    control& _watch;
    const time_range _range;
    const size_t _exact_bytes_max;
    std::unique_ptr<aggregator> _sums; // this shard's, if it was asked
};

seastar::future<result<aggregate_page>> executor::aggregates(const plan& p, control& watch) {
    sum one(*this, p, watch);
    co_return co_await one.run();
}

} // namespace query
