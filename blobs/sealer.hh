// Records go from buffers into blobs in rounds. A round freezes the buffers of all sources of the shard at one sequence of the
// log, writes them to files, publishes those with one manifest edit, and lets the log go up to that sequence. While it runs,
// records go on into new buffers. If it fails nothing is lost: the buffers stay frozen, and the next attempt writes the same.
//
// While a store is opened, records come out of logs and may be more than memory has room for: then a round seals those that were
// read so far (seal_replayed()), and its edit says up to where of each lane that is.
//
// A source with much in memory gets a file of its own, so that dropping it gives the space back; small ones share a file.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <seastar/core/abort_source.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "blobs/blob_files.hh"
#include "blobs/core/block_builder.hh"
#include "blobs/log_source.hh"

namespace blobs {

class log_store;

struct seal_counters {
    uint64_t rounds_total = 0;
    uint64_t failures_total = 0;
    uint64_t blobs_total = 0;
    uint64_t bytes_total = 0;
    uint64_t files_total = 0;
};

class sealer {
public:
    explicit sealer(log_store&);

    // At opening: all records in buffers go to blobs, if they take more than so many bytes. Calls take turns.
    seastar::future<base::expected<void>> seal_replayed(uint64_t bytes_over);

    void start();
    // A round under way is finished.
    seastar::future<> stop();

    // After records came in.
    void wake_if_due();
    // Memory is short: a round begins if it would give back some.
    void wake();
    // Everything that is in buffers now goes to blobs; resolves when it is there, or with why not.
    seastar::future<base::expected<void>> seal();
    // Until a round has made room; false when that takes too long.
    seastar::future<bool> wait_for_room(std::chrono::milliseconds);

    bool has_frozen() const { return !_frozen.empty(); }
    // Why the last round failed, until one succeeds.
    const std::optional<base::error>& failure() const { return _failure; }
    const seal_counters& counters() const { return _counters; }

private:
    using clock = seastar::lowres_clock;
    struct frozen_buffer {
        source_ptr source;
        period_number period;
        buffer_ptr records;
    };

    bool is_due() const;
    seastar::future<> run();
    seastar::future<base::expected<void>> round();
    void freeze();
    seastar::future<base::expected<void>> write_and_publish();
    seastar::future<std::vector<written_file>> write();
    seastar::future<> write_one(const frozen_buffer&, std::vector<written_file>& done);
    seastar::future<> write_blob(blob_writer&, uint64_t counter, const frozen_buffer&);
    static seastar::future<> finish(std::unique_ptr<blob_writer>&, std::vector<written_file>& done);
    void replace_frozen(std::vector<blob_ptr>);

    log_store& _store;
    block_builder _block;
    // A file for small sources, while it is being written.
    std::unique_ptr<blob_writer> _shared, _own;
    uint64_t _shared_counter = 0;
    std::vector<frozen_buffer> _frozen;
    uint64_t _frozen_bytes = 0;       // memory
    base::sequence _frozen_upto;      // of the log of this start
    blob_files::sealed _frozen_marks; // what may be said once the frozen records are in blobs
    seastar::semaphore _replay_turn{1};
    uint64_t _log_bytes_at_freeze = 0;
    std::optional<clock::time_point> _oldest; // when the first record came that is not frozen
    std::optional<base::error> _failure;
    seal_counters _counters;

    bool _is_wanted = false;
    bool _is_stopping = false;
    seastar::abort_source _stopping; // of the pause before another attempt
    seastar::condition_variable _due;
    seastar::condition_variable _room;
    std::vector<seastar::promise<base::expected<void>>> _waiters; // for the next round
    seastar::timer<clock> _age_timer;
    seastar::future<> _fiber = seastar::make_ready_future<>();
};

} // namespace blobs
