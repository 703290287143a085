#include "query/executor.hh"

#include <algorithm>
#include <ranges>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/memory.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/coroutine/parallel_for_each.hh>
#include <seastar/coroutine/switch_to.hh>

#include "query/core/native/time_steps.hh"
#include "shard/free_memory.hh"
#include "tables/core/key.hh"

namespace query {

// Each may hold its budget, and those of all shards do so at the same time: together no more than a quarter of the memory.
static size_t queries_for(const budgets& b) {
    const auto memory = seastar::memory::stats().total_memory();
    return std::clamp<size_t>(memory / 4 / std::max<size_t>(b.memory_bytes_max, 1), queries_running_min, queries_running_max);
}

executor::executor(executor_config config, seastar::sharded<tables::engine>& engines, blobs::log_store* logs)
    : _config(std::move(config)), _engines(engines), _logs(logs),
      _series(engine(), _config.series_index_bytes_max, _config.group), _routes(engine(), shards_count()), _live(engine(), logs),
      _turns(queries_for(_config.budgets)) {}

std::vector<tables::table_info> executor::tables() {
    return engine().catalog().list(_config.account, {}, tables::tables_count_max);
}

base::expected<plan> executor::make_plan(request asked) {
    const auto all = tables();
    std::vector<std::string> sources;
    if (_logs != nullptr) {
        sources.assign(_logs->source_names().begin(), _logs->source_names().end());
    }
    return query::make_plan(std::move(asked), {.tables = all, .sources = sources});
}

void executor::subscribe(uint64_t id, request asked) {
    _live.subscribe(id, std::move(asked), [this](request again) { return make_plan(std::move(again)); });
}

static bool is_short(const request& asked) {
    return asked.verb == verb::tail && asked.limit <= short_query_rows_max;
}

bool executor::may_be_light(const request& asked) {
    return !asked.aggregates && !asked.follow && asked.limit <= short_query_rows_max;
}

seastar::future<result<seastar::semaphore_units<>>> executor::admit(const plan& p, seastar::abort_source& gone) {
    return take_turn(is_short(p.asked) ? _short_turns : _turns, gone);
}

seastar::future<result<seastar::semaphore_units<>>> executor::take_turn(seastar::semaphore& turns, seastar::abort_source& gone) {
    if (turns.waiters() >= queries_waiting_max) {
        co_return failed({base::errc::busy, "too many queries are waiting on this server"});
    }
    if (shard::is_memory_short()) {
        co_return failed({base::errc::busy, "memory is short; try again later"});
    }
    auto turn = co_await seastar::coroutine::as_future(seastar::get_units(turns, 1, gone));
    if (turn.failed()) {
        turn.ignore_ready_future();
        co_return failed(fault::cancelled);
    }
    co_return turn.get();
}

// One page under way.
class executor::search {
public:
    search(executor& on, const plan& p, control& watch)
        : _on(on), _plan(p), _watch(watch), _rows_max(p.asked.limit + 1), _found(std::make_unique<row_collector>(p, _rows_max)) {}

    seastar::future<result<row_page>> run() {
        auto steps = time_steps(_plan, remaining_range());
        if (const auto whole = co_await take_whole(steps); !whole) {
            co_return std::unexpected(whole.error());
        } else if (*whole) {
            steps.clear();
        } else if (steps.size() > 1) {
            co_await seastar::coroutine::switch_to(_on.config().group);
        }
        for (const auto& step : steps) {
            if (const auto done = co_await take_step(step, false); !done) {
                co_return std::unexpected(done.error());
            }
            if (_found->rows_count() >= _rows_max || _found->is_short()) {
                break;
            }
            // What is found so far is all there is in the steps so far.
            if (_plan.asked.verb == verb::range && &step != &steps.back() && _watch.is_much(_found->bytes())) {
                _found->shorten(_found->rows_count());
                break;
            }
        }
        while (_found->finish_some()) {
            co_await seastar::coroutine::maybe_yield();
        }
        row_page page{std::move(_found), {}};
        page.facts.range = _plan.asked.range;
        page.facts.rows_examined = _watch.rows_examined();
        page.facts.rows_skipped = _watch.rows_skipped();
        page.facts.blocks_read = _watch.blocks_read();
        page.facts.damage = _watch.damage();
        co_return page;
    }

private:
    // What the cursor leaves of the range; rows of its very time are told apart one by one.
    time_range remaining_range() const {
        const auto after = _plan.after();
        if (!after) {
            return _plan.asked.range;
        }
        const bool is_ascending = _plan.asked.order == order_kind::ascending;
        return _plan.asked.range.common(is_ascending ? time_range{after->time_ns, time_range::forever}
                                                     : time_range{time_range::always, after->time_ns + 1});
    }

    // Few rows are found at once, without steps, each of which asks all shards. Oldest first, that is: else a step costs nothing
    // that is not needed anyway. False when they are not few; then nothing is found yet.
    seastar::future<result<bool>> take_whole(const std::vector<time_range>& steps) {
        if (steps.size() == 1 || _plan.asked.order == order_kind::descending || has_sources()) {
            co_return false;
        }
        const auto skipped = _watch.rows_skipped();
        const auto done = co_await take_step({steps.front().start_ns, steps.back().end_ns}, true);
        if (done && !*done) {
            _watch.set_skipped(skipped);
        }
        co_return done;
    }

    // Searching them oldest first is short by itself.
    bool has_sources() const { return std::ranges::contains(_plan.origins, origin_kind::source, &origin::kind); }

    // False: it was a trial, and some shard has given up.
    seastar::future<result<bool>> take_step(time_range step, bool is_trial) {
        row_search asked{&_plan, {}, step, _rows_max - _found->rows_count(), is_trial};
        for (uint32_t part = 0; part < _plan.parts.size(); ++part) {
            if (_plan.parts[part].covers.overlaps(step)) {
                asked.parts.push_back(part);
            }
        }
        const auto shards = _on.shards_for(_plan, asked.parts);
        const bool is_only_here = shards.size() == 1 && shards.front() == seastar::this_shard_id();
        if (is_only_here && _found->rows_count() == 0) {
            co_return co_await take_here(std::move(asked));
        }
        result<void> outcome;
        std::vector<shard_rows> shares;
        co_await seastar::coroutine::parallel_for_each(shards, [&](unsigned shard) -> seastar::future<> {
            auto found = co_await _on.ask(shard, _plan, asked.parts,
                                          [&](executor& there) { return search_rows(there.stores(), asked, _watch); });
            if (found) {
                shares.push_back(std::move(*found));
            } else {
                outcome = std::unexpected(found.error());
            }
        });
        if (!outcome || std::ranges::contains(shares, true, &shard_rows::is_given_up)) {
            co_return outcome.transform([] { return false; });
        }
        size_t rows_max = asked.rows_max;
        const size_t rows_before = _found->rows_count();
        for (size_t i = 0; outcome && i < shares.size(); ++i) {
            rows_max = std::min(rows_max, shares[i].rows_max);
            outcome = co_await add(std::exchange(shares[i].batches, {}));
        }
        // The first so many of all shards are among the first so many of each.
        if (outcome && rows_max < asked.rows_max) {
            _found->shorten(rows_before + rows_max);
        }
        co_return outcome.transform([] { return true; });
    }

    // What this shard alone has need not be packed for the way.
    seastar::future<result<bool>> take_here(row_search asked) {
        auto found = std::make_unique<row_collector>(_plan, asked.rows_max);
        const auto is_whole = co_await _on.ask(seastar::this_shard_id(), _plan, asked.parts,
                                               [&](executor& here) { return find_rows(here.stores(), asked, _watch, *found); });
        if (is_whole && *is_whole) {
            _found = std::move(found);
        }
        co_return is_whole;
    }

    seastar::future<result<void>> add(std::vector<part_batch> batches) {
        for (auto& batch : batches) {
            if (auto added = _found->add(std::move(batch)); !added) {
                co_return failed(added.error());
            }
            if (_found->is_loose()) {
                co_await tighten(*_found);
            }
            co_await seastar::coroutine::maybe_yield();
        }
        co_return result<void>();
    }

    executor& _on;
    const plan& _plan;
    control& _watch;
    size_t _rows_max;
    std::unique_ptr<row_collector> _found;
};

seastar::future<result<family_facts>> executor::facts_of(std::string family, fact_kind what, control& watch) {
    family_facts facts(what);
    bool is_known = false;
    const auto all = tables();
    for (const auto& t : all) {
        if (!t.family || t.family->family != family) {
            continue;
        }
        is_known = true;
        std::string text;
        auto within = std::expected<void, failure>();
        auto walked = co_await visit_partitions(_engines, t.id, watch, [&](const tables::batch_row& row) {
            facts.add(tables::uncollate(row.partition_key, text), t.family->spread, row.row);
            within = watch.check(facts.bytes());
            return within.has_value();
        });
        if (!within || !walked) {
            co_return std::unexpected(within ? walked.error() : within.error());
        }
    }
    if (!is_known) {
        co_return failed({base::errc::entity_not_found, fmt::format("there is no family '{}'", family)});
    }
    co_return facts;
}

seastar::future<result<row_page>> executor::rows(const plan& p, control& watch) {
    search one(*this, p, watch);
    co_return co_await one.run();
}

} // namespace query
