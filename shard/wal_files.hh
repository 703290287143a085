// The files of the log that this epoch writes: made ahead, used one after the other, released when everything in them is kept
// elsewhere. A file is *ready* (its full length written and durable under its name, so that flushing records into it has no
// metadata to write), then *used*, then *sealed*, then *released*: recycled under a new number, or removed.
//
// One fiber does everything that touches the folder, in order, so files vanish oldest first and a power cut cannot leave a
// hole in the middle of what is left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <seastar/core/circular_buffer.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/future.hh>
#include <seastar/core/shared_future.hh>
#include <seastar/core/shared_ptr.hh>

#include "base/error.hh"
#include "base/ids.hh"
#include "shard/core/wal_record.hh"
#include "shard/disk.hh"

namespace shard {

// The folder of all logs, below the data directory.
inline const std::string wal_folder = "log";
inline std::string wal_path(std::string_view name) {
    return wal_folder + '/' + std::string(name);
}

struct wal_file {
    wal_file_id id;
    uint64_t seed = 0;
    std::string path;
    file_ptr handle;

    base::sequence last;         // of the records appended to it
    unsigned groups_pending = 0; // appended and not yet on stable storage
    bool is_full = false;        // takes no more records
    bool is_linked = false;      // has another name somewhere, so its bytes must stay
};
using wal_file_ptr = seastar::lw_shared_ptr<wal_file>;

class wal_files {
public:
    struct options {
        wal_file_id first; // but for the number, which follows from what is in the folder
        uint64_t file_bytes = 0;
        bool can_recycle = true;
    };

    wal_files(disk&, options);

    // Makes the folder if need be, finds the first free number and begins to make a file ready. A full disk is not a failure
    // here: it is told when a file is wanted.
    seastar::future<base::expected<void>> start();
    // Tells those who wait in want_ready() that there will be no file. Nothing is prepared or released from here on.
    void request_stop();
    // After request_stop(): closes every file and removes those that were never used.
    seastar::future<> stop();

    uint64_t file_bytes() const { return _options.file_bytes; }
    size_t files_count() const { return _ready.size() + _used.size() + _sealed.size(); }
    bool has_ready() const { return !_ready.empty(); }
    // Resolves when a file is ready or an attempt to make one has failed: out_of_space, io_error, shutting_down. A call after a
    // failure tries again.
    seastar::future<base::expected<void>> want_ready();
    // The oldest ready file is to be used now; another is begun. Needs has_ready().
    wal_file_ptr take();
    // No group of this file is pending and none will come. Files are sealed in the order they were taken.
    void seal(wal_file_ptr);

    // Nothing up to here is needed from the log any more. Files are recycled or removed in the background.
    void release(base::sequence);
    // Until unhold() no file is released. Counts.
    void hold() { ++_holds_count; }
    void unhold();
    // Paths of the sealed files up to this number, oldest first. They are never recycled from here on: the caller gives them a
    // second name.
    std::vector<std::string> link_sealed(uint64_t last_number);

private:
    bool has_released() const;
    seastar::future<> upkeep();
    seastar::future<> dispose(wal_file_ptr);
    seastar::future<> recycle(wal_file_ptr);
    seastar::future<> discard(wal_file_ptr);
    seastar::future<> prepare();
    seastar::future<bool> fill(file&);
    wal_file_ptr make_file(uint64_t number, file_ptr);
    void add_ready(wal_file_ptr);
    void tell_waiters(base::expected<void>);

    disk& _disk;
    const options _options;
    uint64_t _next_number = 1;
    seastar::circular_buffer<wal_file_ptr> _ready;  // in the order of their numbers
    seastar::circular_buffer<wal_file_ptr> _used;   // taken and not sealed, oldest first
    seastar::circular_buffer<wal_file_ptr> _sealed; // oldest first; their handles stay open, for recycling
    base::sequence _released;
    unsigned _holds_count = 0;
    bool _is_wanted = true;   // false after a failed attempt, until somebody asks
    bool _is_awaited = false; // somebody cannot go on without a ready file
    bool _is_stopping = false;
    seastar::shared_promise<base::expected<void>> _outcome; // of the attempt under way or to come
    seastar::condition_variable _due;
    seastar::future<> _upkeep = seastar::make_ready_future<>();
};

} // namespace shard
