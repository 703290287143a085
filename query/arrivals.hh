// What arrives on a shard, for the live tails that want it. One on each shard; with no live tail anywhere it costs a write one
// look at a pointer. A live tail is known by a number on all shards alike.
//
// A row is kept for a live tail from the moment it is written, and handed over when it is durable: so whoever first subscribes on
// all shards and then reads what is there misses nothing.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/shared_ptr.hh>

#include "blobs/log_store.hh"
#include "query/failure.hh"
#include "query/live_query.hh"
#include "tables/engine.hh"

namespace query {

// What a shard keeps for one live tail that takes nothing.
constexpr size_t arrivals_bytes_max = 4u << 20;

class arrivals final : public tables::write_listener, public blobs::record_listener {
public:
    // Both must outlive it. Without a log store there are no records.
    arrivals(tables::engine& engine, blobs::log_store* logs) : _engine(engine), _logs(logs) {}
    arrivals(const arrivals&) = delete;

    void subscribe(uint64_t id, request, live_query::planner);
    // Ends next() of it.
    void unsubscribe(uint64_t id);
    size_t subscribers_count() const { return _all.size(); }

    // What has arrived since the last call, in the order of arrival, once there is something; nothing when it has ended. One call
    // at a time. busy: it took too little and has missed some.
    seastar::future<result<std::vector<live_row>>> next(uint64_t id);

    void rows_written(base::table_id, const tables::row_batch_reader&, base::sequence last) noexcept override;
    void record_written(std::string_view source, const blobs::record&) noexcept override;

private:
    struct subscriber {
        subscriber(request asked, live_query::planner make) : query(std::move(asked), std::move(make)) {}

        live_query query;
        std::vector<live_row> rows;
        size_t bytes = 0; // of the rows
        base::sequence last;
        bool has_missed = false;
        bool is_ended = false;
        seastar::condition_variable changed;
    };

    template <class Add>
    void offer(Add add) noexcept;
    void listen();

    tables::engine& _engine;
    blobs::log_store* _logs;
    std::map<uint64_t, seastar::lw_shared_ptr<subscriber>> _all;
};

} // namespace query
