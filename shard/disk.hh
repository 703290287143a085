// The only door to the disk. A disk is a set of folders and files under one data directory; names are relative, use '/' and
// never leave it ("" is the data directory itself; a name that breaks this is a programming error: std::invalid_argument).
// dma_disk is the real one; tests/sim/sim_disk keeps everything in memory, records each operation and injects faults. Logs are
// written in place into preallocated files, everything else is written once, flushed and published by a rename: what an object
// store could stand behind later.
//
// Failures of the machine are std::system_error inside the future: ENOENT, EEXIST, ENOSPC, EIO and so on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/temporary_buffer.hh>

namespace shard {

class file {
public:
    virtual ~file() = default;

    // Positions and lengths of writes, and the memory they come from, are multiples of this.
    virtual size_t alignment() const = 0;
    // Writes all of `data` at `position`, or fails; on failure any part of it may be on the disk. Not durable before flush().
    // `data` must stay alive and unchanged until the future resolves. Writes to different positions may run at the same time.
    virtual seastar::future<> write(uint64_t position, const char* data, size_t length) = 0;
    // Any position and length; shorter than asked only where the file ends.
    virtual seastar::future<seastar::temporary_buffer<char>> read(uint64_t position, size_t length) = 0;
    // Everything written before the call is on stable storage when this resolves. After a failure the state of what was
    // written since the last success is unknown, and calling again does not make it known.
    virtual seastar::future<> flush() = 0;
    virtual seastar::future<uint64_t> size() = 0;
    virtual seastar::future<> truncate(uint64_t size) = 0;
    // Must be called once, before destruction, with no operation under way. Never fails.
    virtual seastar::future<> close() = 0;

    // Memory that write() takes; zeroed.
    seastar::temporary_buffer<char> allocate(size_t length) const;
};

using file_ptr = std::unique_ptr<file>;

enum class open_mode {
    read,       // must exist
    read_write, // must exist
    create,     // must not exist; empty, for reading and writing
};

struct disk_space {
    uint64_t total_bytes = 0;
    uint64_t free_bytes = 0; // what an ordinary user may still write
};

class disk {
public:
    virtual ~disk() = default;

    // A created file's *name* survives a power cut only after sync_directory of its folder; its bytes after file::flush.
    virtual seastar::future<file_ptr> open(std::string path, open_mode) = 0;
    virtual seastar::future<bool> exists(std::string path) = 0;
    // Atomic; replaces the target. Durable after sync_directory (of both folders where they differ).
    virtual seastar::future<> rename(std::string from, std::string to) = 0;
    virtual seastar::future<> remove(std::string path) = 0;
    // A second name for the same immutable file (snapshots).
    virtual seastar::future<> link(std::string from, std::string to) = 0;
    // Succeeds when the folder is already there; parents must exist.
    virtual seastar::future<> make_directory(std::string path) = 0;
    // Names (not paths) of the files and folders inside, sorted.
    virtual seastar::future<std::vector<std::string>> list(std::string path) = 0;
    virtual seastar::future<> sync_directory(std::string path) = 0;
    virtual seastar::future<disk_space> space() = 0;

    // Bytes of files that are gone for everybody but those who have them open: free space as soon as these let go.
    uint64_t leaving_bytes() const { return _leaving_bytes; }
    void add_leaving(uint64_t bytes) { _leaving_bytes += bytes; }
    void end_leaving(uint64_t bytes) { _leaving_bytes -= bytes; }

private:
    uint64_t _leaving_bytes = 0;
};

// Reads a whole small file; ENOENT as usual.
seastar::future<std::string> read_whole(disk&, std::string path, size_t bytes_max);
// Writes a small file so that after a power cut either the old or the new content is there: beside, flush, rename, sync.
seastar::future<> replace_whole(disk&, std::string path, std::string content);

} // namespace shard
