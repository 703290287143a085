// Runs plans. One on each shard; a plan runs on the shard that was asked, which has each shard search what it
// owns and puts together what they send.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <seastar/core/abort_source.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>

#include "query/aggregate_scan.hh"
#include "query/arrivals.hh"
#include "query/control.hh"
#include "query/core/native/answer.hh"
#include "query/core/native/listing.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/row_collector.hh"
#include "query/partitions.hh"
#include "query/row_search.hh"
#include "query/series_routes.hh"
#include "tables/engine.hh"

namespace query {

struct executor_config {
    std::string account; // whose tables are read
    query::budgets budgets;
    std::function<int64_t()> now_ns;
    seastar::scheduling_group group;           // of every query that is more than a moment's work
    size_t series_index_bytes_max = 16u << 20; // on one shard, of all tables
};

// Queries that run at a time on a shard, as memory allows, and those that wait for one of them to end; more are told to come
// back.
constexpr size_t queries_running_min = 2;
constexpr size_t queries_running_max = 8;
constexpr size_t queries_waiting_max = 64;
// Those that want a few of the newest rows have turns of their own, so that they never wait behind sums and long ranges.
constexpr size_t short_queries_running_max = 4;
constexpr size_t short_query_rows_max = 1'000;

// The rows of one page, in order, and what there is to say about them.
struct row_page {
    std::unique_ptr<row_collector> rows; // one more than the limit when there is more
    answer_facts facts;
};

// The aggregates of one page: all of them are there, `cells` are those to show.
struct aggregate_page {
    std::unique_ptr<aggregator> sums;
    std::vector<const aggregator::cell_map::value_type*> cells;
    answer_facts facts;
};

class executor : public seastar::peering_sharded_service<executor> {
public:
    // Without a log store there are no sources.
    executor(executor_config, seastar::sharded<tables::engine>&, blobs::log_store* = nullptr);
    seastar::future<> stop() { return seastar::make_ready_future<>(); }

    const executor_config& config() const { return _config; }
    tables::engine& engine() { return _engines.local(); }
    row_stores stores() { return {engine(), _series, _logs, _config.group}; }
    unsigned shards_count() const { return seastar::smp::count; }

    // The tables of the account, as the catalog has them now.
    std::vector<tables::table_info> tables();
    base::expected<plan> make_plan(request);

    // Begins where it was asked for, and goes on in the group above if it turns out to be much work. All others belong there.
    static bool may_be_light(const request&);
    // A turn to run a query; `busy` when too many wait already, `cancelled` when the client goes while it waits. Hold the units
    // as long as it runs.
    seastar::future<result<seastar::semaphore_units<>>> admit(const plan&, seastar::abort_source& gone);
    seastar::future<result<seastar::semaphore_units<>>> admit(seastar::abort_source& gone) { return take_turn(_turns, gone); }
    // The plan and the control must outlive the future.
    seastar::future<result<row_page>> rows(const plan&, control&);
    seastar::future<result<aggregate_page>> aggregates(const plan&, control&);
    // entity_not_found when there is no such family.
    seastar::future<result<family_facts>> facts_of(std::string family, fact_kind, control&);

    // Who has to be asked about these parts of the plan; this shard comes last.
    std::vector<unsigned> shards_for(const plan& p, std::span<const uint32_t> parts) const {
        return _routes.shards_for(p, parts);
    }

    // Of live tails, on this shard: what arrives is kept for this one until it is unsubscribed.
    void subscribe(uint64_t id, request);
    arrivals& live() { return _live; }

private:
    class search;
    class sum;

    seastar::future<result<seastar::semaphore_units<>>> take_turn(seastar::semaphore&, seastar::abort_source& gone);
    // Has a shard work on these parts, and learns what it can say about its series. All that is borrowed must outlive the future.
    template <class Work>
    std::invoke_result_t<Work&, executor&> ask(unsigned shard, const plan&, std::span<const uint32_t> parts, Work);

    executor_config _config;
    seastar::sharded<tables::engine>& _engines;
    blobs::log_store* _logs; // of this shard
    series_indexes _series;
    series_routes _routes;
    arrivals _live;
    seastar::semaphore _turns;
    seastar::semaphore _short_turns{short_queries_running_max};
};

template <class Work>
std::invoke_result_t<Work&, executor&> executor::ask(unsigned shard, const plan& p, std::span<const uint32_t> parts, Work work) {
    const auto unknown = _routes.unknown(p, parts, shard);
    shard_digests learned;
    auto done = co_await container().invoke_on(shard, [&](executor& there) {
        return work(there).finally([&unknown, &learned, &p, &there] {
            learned = series_routes::digests_here(there.engine(), there._series, p, unknown);
        });
    });
    _routes.learn(p, unknown, shard, std::move(learned));
    co_return done;
}

} // namespace query
