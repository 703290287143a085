// The writing half of one request or connection: batches on their way to the shards that own them. Sending goes on while earlier
// batches are being made durable, up to a window; then it waits, and so does whoever reads from the sender.
//
// Batches of one writer reach the log of a shard in the order they were sent. Only after a wait for busy tables
// (patience::endless) a later batch may come first; that matters where both have the same field of one series and time.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <vector>

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/semaphore.hh>

#include "base/error.hh"
#include "ingest/core/point_router.hh"
#include "ingest/intake.hh"

namespace ingest {

// What to do when the tables are busy or the disk is full.
enum class patience {
    none,    // fail: the sender is told and comes back
    endless, // try again until it works: the sender cannot be told, only slowed down
};

class batch_writer {
public:
    // `stopping` ends waits of patience::endless. All outlive the writer.
    batch_writer(intake&, protocol, patience, seastar::abort_source& stopping);

    // Sends what is in the router, and the records that were taken in; they came at that time. Resolves when there is room for
    // more.
    seastar::future<> send_routed(std::chrono::steady_clock::time_point received = std::chrono::steady_clock::now());
    // Resolves when all that was sent is on stable storage; or to the first thing that went wrong. Must be called before
    // destruction, and nothing sent after it.
    seastar::future<base::expected<void>> drain();
    const std::optional<base::error>& failure() const { return _failure; }

private:
    using clock = std::chrono::steady_clock;

    struct message {
        unsigned owner = 0;
        std::vector<std::string> batches;
        uint64_t rows_count = 0;
        size_t bytes = 0;
    };

    seastar::future<> send(std::vector<routed_rows>, clock::time_point received);
    seastar::future<> send_records(std::vector<blobs::log_batch>, clock::time_point received);
    seastar::future<> deliver_records(blobs::log_batch, clock::time_point received);
    seastar::future<base::expected<void>> try_append(const blobs::log_batch&);
    seastar::future<> make_missing(std::vector<routed_rows>&);
    seastar::future<> deliver(message, clock::time_point received);
    seastar::future<base::expected<void>> upsert(message&);
    seastar::future<base::expected<void>> try_upsert(message&);
    void note_unsent(std::exception_ptr);
    void note(base::error, uint64_t rows_count);

    intake& _intake;
    protocol_counters& _counters;
    const patience _patience;
    seastar::abort_source& _stopping;
    seastar::semaphore& _memory; // of all who wait as this one does
    seastar::semaphore _window;
    seastar::gate _deliveries;
    std::optional<base::error> _failure;
};

} // namespace ingest
