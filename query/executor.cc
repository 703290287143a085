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
        time_steps steps(_plan, remaining_range(), _rows_max);
        while (const auto step = steps.next()) {
            const auto bounds = steps.bounds();
            const auto examined = _watch.rows_examined();
            const auto skipped = _watch.rows_skipped();
            const auto end = co_await take_step(*step, bounds);
            if (!end) {
                co_return std::unexpected(end.error());
            }
            if (end->is_given_up) {
                _watch.set_skipped(skipped);
                steps.cut(end->rows);
                co_await seastar::coroutine::switch_to(_on.config().group);
                continue;
            }
            steps.take(_watch.rows_examined() - examined);
            if (_found->rows_count() >= _rows_max || _found->is_short()) {
                break;
            }
            // What is found so far is all there is in the steps so far.
            if (_plan.asked.verb == verb::range && steps.next() && _watch.is_much(_found->bytes())) {
                _found->shorten(_found->rows_count());
                break;
            }
            if (steps.next()) { // more than a moment's work
                co_await seastar::coroutine::switch_to(_on.config().group);
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

    // Where it was a trial and some shard has given up, nothing is found. Records are found oldest first without ado, and many
    // may be looked at for that: so a trial is of tables only, and the records follow once it has passed.
    seastar::future<result<search_end>> take_step(time_range step, std::optional<trial_bounds> bounds) {
        row_search asked{&_plan, {}, step, _rows_max - _found->rows_count(), bounds};
        row_search of_records{&_plan, {}, step, asked.rows_max, std::nullopt};
        for (uint32_t part = 0; part < _plan.parts.size(); ++part) {
            if (_plan.parts[part].covers.overlaps(step)) {
                const bool waits = bounds && _plan.origin_of(_plan.parts[part]).kind == origin_kind::source;
                (waits ? of_records : asked).parts.push_back(part);
            }
        }
        auto end = co_await take(std::move(asked));
        if (end && !end->is_given_up && !of_records.parts.empty()) {
            if (const auto worst = _found->worst_time()) {
                of_records.range = step.common({time_range::always, *worst + 1}); // oldest first, as all trials are
            }
            if (const auto records = co_await take(std::move(of_records)); !records) {
                co_return std::unexpected(records.error());
            }
        }
        co_return end;
    }

    // Adds the first rows of a step, or of some parts in it.
    seastar::future<result<search_end>> take(row_search asked) {
        const auto shards = _on.shards_for(_plan, asked.parts);
        const bool is_only_here = shards.size() == 1 && shards.front() == seastar::this_shard_id();
        if (is_only_here && _found->rows_count() == 0 && !_found->is_short()) {
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
        if (!outcome) {
            co_return std::unexpected(outcome.error());
        }
        search_end end;
        for (const auto& share : shares) {
            end.add(share.end);
        }
        if (end.is_given_up) {
            co_return end;
        }
        size_t rows_max = asked.rows_max;
        for (size_t i = 0; outcome && i < shares.size(); ++i) {
            rows_max = std::min(rows_max, shares[i].rows_max);
            outcome = co_await add(std::exchange(shares[i].batches, {}));
        }
        // The first so many of all shards are among the first so many of each.
        if (const size_t rows_before = _rows_max - asked.rows_max; outcome && rows_max < asked.rows_max) {
            _found->shorten(std::min(_found->rows_max(), rows_before + rows_max));
        }
        co_return outcome.transform([&end] { return end; });
    }

    // What this shard alone has need not be packed for the way.
    seastar::future<result<search_end>> take_here(row_search asked) {
        auto found = std::make_unique<row_collector>(_plan, asked.rows_max);
        const auto end = co_await _on.ask(seastar::this_shard_id(), _plan, asked.parts,
                                          [&](executor& here) { return find_rows(here.stores(), asked, _watch, *found); });
        if (end && !end->is_given_up) {
            _found = std::move(found);
        }
        co_return end;
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
