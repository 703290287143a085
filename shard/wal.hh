// The log of one shard: what was appended to it and flushed survives everything. One instance per shard, used only there.
//
// Group commit: while one group of records is being written and flushed, the next one collects in memory; a flush starts as soon
// as the one before it is done and somebody waits. Groups go one after the other, never two at once: that is what lets each of
// them say that all before it was durable (FORMAT.md), and why a failure can only hit the end of the log.
//
// A writer goes through three steps: reserve() may wait or refuse; append() does neither and keeps the order of calls;
// wait_durable() tells when it may acknowledge. Once a write or flush of the log has failed, nothing more is acknowledged and
// nothing is tried again, since what is on the disk is unknown (has_failed()).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <seastar/core/circular_buffer.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "base/ids.hh"
#include "shard/core/wal_record.hh"
#include "shard/disk.hh"
#include "shard/wal_files.hh"
#include "shard/wal_group.hh"

namespace shard {

struct wal_config {
    uint64_t store = 0;
    uint64_t epoch = 0; // larger than at every start before
    uint32_t shard = 0;
    base::sequence next{1}; // what the first record takes
    // A multiple of wal_block_bytes. Larger: fewer files, more to replay after a crash that leaves the last one.
    uint64_t file_bytes = 64 << 20;
    // Records that are not durable yet; writers wait when it is used up. It bounds one group and one record too. Cut to what
    // fits into a file.
    size_t buffer_bytes = 8 << 20;
    // How long a lazy record may wait for company. Promised to clients without replies: 100 ms, flush included.
    std::chrono::milliseconds lazy_flush_after{50};
    bool can_recycle = true;
};

enum class durability {
    urgent, // flush as soon as the disk is free
    lazy,   // nobody waits: flush within lazy_flush_after, or with the next urgent record
};

struct wal_counters {
    uint64_t records_count = 0;
    uint64_t payload_bytes = 0;
    uint64_t written_bytes = 0; // with heads and padding
    uint64_t flushes_count = 0;
    uint64_t flush_us = 0; // spent writing and flushing, in total
    // now
    uint64_t waiters_count = 0;
    uint64_t files_count = 0;
    uint64_t buffered_bytes = 0;
    uint64_t lag_count = 0; // sequences appended and not durable
    uint64_t lag_us = 0;    // age of the oldest of them
};

class wal {
public:
    // Room for one record, in memory and in a file. Given back when it is not used. Not to be kept across anything slow: others
    // wait for it, and so does stop().
    class reservation {
    public:
        reservation(reservation&&) noexcept;
        reservation& operator=(reservation&&) = delete;
        ~reservation();

    private:
        friend class wal;
        reservation(wal&, seastar::gate::holder, seastar::semaphore_units<>);

        wal* _wal; // null after a move
        seastar::gate::holder _holder;
        seastar::semaphore_units<> _memory; // as many bytes as it may take in a file
    };

    wal(disk&, wal_config);

    // io_error, out_of_space when the folder cannot be made or read. A disk without room for a log file is not a failure.
    seastar::future<base::expected<void>> start();
    // New reservations are refused, what is appended is flushed, an end mark is written, everything is closed. A
    // second call does nothing.
    seastar::future<> stop();

    // The longest payload that fits.
    size_t payload_bytes_max() const;
    // Waits for room. invalid_argument: longer than payload_bytes_max(). out_of_space, io_error: there is no room in a file and
    // no further file can be made now; nothing happened, ask again later. log_failed, shutting_down.
    seastar::future<base::expected<reservation>> reserve(size_t payload_bytes);
    // The sequence that the next record must begin with.
    base::sequence next() const { return _next; }
    // The record takes sequences [first, first + count), first == next(), count > 0. It carries the pieces one behind the other;
    // together they are not longer than what was reserved. They are copied before this returns.
    void append(reservation, base::sequence first, uint32_t sequences_count, record_kind,
                std::span<const std::string_view> pieces, durability = durability::urgent);
    // Success: it and all before it is on stable storage. log_failed otherwise. Needs sequence < next(). Asking makes a lazy
    // record urgent.
    seastar::future<base::expected<void>> wait_durable(base::sequence);
    base::sequence durable() const { return _durable; }
    bool has_failed() const { return _failure.has_value(); }

    // All up to here is kept elsewhere: files that hold nothing else go.
    void release(base::sequence upto) { _files.release(upto); }
    // For a snapshot: ends the current file and resolves to the paths of all files that hold what was appended before (and not
    // released), each complete and durable. They stay as they are until unhold(), and are never recycled, so that the caller
    // can give them a second name. Errors as of reserve(); there is nothing to unhold() then.
    seastar::future<base::expected<std::vector<std::string>>> hold();
    // Until unhold() no file leaves; none is ended for it.
    void keep_files() { _files.hold(); }
    void unhold() { _files.unhold(); }

    const wal_config& config() const { return _config; }
    wal_counters counters() const;
    // Since it was started.
    uint64_t written_bytes() const { return _counters.written_bytes; }

private:
    bool has_room(size_t bytes) const;
    wal_group& group_for(size_t record_bytes);
    wal_group& begin_group();
    void close_group();
    void end_file();
    void append_end_mark();
    bool is_due() const;
    void wake_flusher();
    seastar::future<> flush_groups();
    seastar::future<> flush_front();
    void finish_front();
    void fail(const std::exception&);

    const wal_config _config;
    wal_files _files;
    wal_memory _pieces;
    const size_t _buffer_bytes;
    seastar::semaphore _memory; // of _buffer_bytes
    size_t _reserved_bytes = 0; // room in files, promised and not used yet

    base::sequence _next;
    base::sequence _durable;
    // Not durable, oldest first. The front one may be on its way to the disk; the back one is _open if it still takes records.
    seastar::circular_buffer<std::unique_ptr<wal_group>> _groups;
    wal_group* _open = nullptr;
    wal_file_ptr _file;     // of the next group; null: a new one
    uint64_t _file_end = 0; // where in it the next group begins, when none is open
    uint64_t _previous_number = 0, _previous_end = 0;

    std::optional<base::error> _failure;
    bool _is_stopping = false;
    bool _is_drained = false; // nobody appends any more
    wal_counters _counters;
    seastar::timer<> _lazy_timer;
    seastar::condition_variable _due;
    seastar::named_gate _work{"wal"};
    seastar::future<> _flusher = seastar::make_ready_future<>();
};

} // namespace shard
