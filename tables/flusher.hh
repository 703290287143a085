// Rows go from memory into segments in rounds. A round freezes the memtables of all tables of the shard at one sequence, writes
// them to files, publishes those with one manifest edit, and releases the log up to that sequence. While it runs, writes go on
// into new memtables. If it fails nothing is lost: the rows stay frozen, and the next attempt writes the same.
//
// While a store is opened, rows come out of logs and may be more than memory has room for: then a round writes those that were
// read so far (flush_replayed()). It says nothing about the log, which has to be read as before until a round after it has
// written the rest (recovery.hh).
//
// A table with much in memory gets a file of its own, so that dropping it gives the space back; small ones share a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <seastar/core/abort_source.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/shared_future.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "shard/manifest.hh"
#include "tables/segment_store.hh"
#include "tables/table.hh"

namespace tables {

class engine;

struct flush_config {
    // A round begins when this much is in memory that is not frozen, when the log has grown by this much, or at this age.
    uint64_t memtable_bytes = 64u << 20;
    uint64_t log_bytes = 256u << 20;
    std::chrono::seconds age = std::chrono::minutes(10);
    // From here on a table does not share its file.
    uint64_t own_file_bytes = 1u << 20;
    size_t block_rows_max = 16'384;
    size_t block_raw_bytes_max = 256 << 10;
    seastar::scheduling_group group;
};

struct flush_counters {
    uint64_t rounds_total = 0;
    uint64_t failures_total = 0;
    uint64_t rows_total = 0;
    uint64_t fields_dropped_total = 0; // that merges would have taken over the limits of an entity
    uint64_t bytes_total = 0;
    uint64_t files_total = 0;
};

class flusher {
public:
    flusher(engine&, flush_config);

    // --- at opening

    // What is written has its place above all segments there are.
    void begin_replay(base::sequence highest_in_segments) { _frozen_upto = highest_in_segments; }
    // So many bytes more would be over the budget, and a round would help.
    bool is_replay_due(size_t bytes) const;
    // All rows in memory go to segments, and their memory is free when it resolves. One at a time.
    seastar::future<base::expected<void>> flush_replayed();
    // The highest place of what was written.
    base::sequence replayed_upto() const { return _frozen_upto; }

    // --- running

    void start();
    // A round under way is finished.
    seastar::future<> stop();

    // After an insert.
    void wake_if_due();
    // Memory is short: a round begins if it would give back some.
    void wake();
    // Everything that is in memory now goes to segments; resolves when it is there, or with why not.
    seastar::future<base::expected<void>> flush();
    // Until a round has made room; false when that takes too long.
    seastar::future<bool> wait_for_room(std::chrono::milliseconds);

    // The table was dropped, and its memory is not counted any more.
    void forget(const table&);

    // Why the last round failed, until one succeeds.
    const std::optional<base::error>& failure() const { return _failure; }
    const flush_counters& counters() const { return _counters; }

private:
    using clock = seastar::lowres_clock;

    bool is_due() const;
    seastar::future<> run();
    seastar::future<base::expected<void>> round();
    void freeze();
    void place_replayed();
    seastar::future<base::expected<std::vector<memtable_ptr>>> write_and_publish();
    seastar::future<std::vector<written_file>> write();
    static seastar::future<> finish(std::unique_ptr<segment_writer>&, std::vector<written_file>& done);
    seastar::future<> write_table(segment_writer&, table_ptr);
    std::vector<memtable_ptr> replace_frozen(const std::vector<segment_ptr>&);

    engine& _engine;
    const flush_config _config;
    std::vector<table_ptr> _frozen;
    uint64_t _frozen_bytes = 0;
    base::sequence _frozen_upto;
    shard::flushed_mark _frozen_mark; // what may be said once the frozen rows are in segments
    bool _is_mark_due = false;        // rows of logs are in segments, and no mark says so yet
    uint64_t _bytes_after_freeze = 0; // of memtables that were left
    uint64_t _log_bytes_at_freeze = 0;
    std::optional<clock::time_point> _oldest; // when the first row came that is not frozen
    std::optional<base::error> _failure;
    flush_counters _counters;

    bool _is_wanted = false;
    bool _is_stopping = false;
    seastar::abort_source _stopping; // of the pause before another attempt
    seastar::condition_variable _due;
    seastar::condition_variable _room;
    std::vector<seastar::promise<base::expected<void>>> _waiters; // for the next round
    seastar::timer<clock> _age_timer;
    seastar::future<> _fiber = seastar::make_ready_future<>();
};

} // namespace tables
