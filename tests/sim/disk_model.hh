// What a simulated disk holds at one moment: what its users see, and what of it a power cut would leave. A value: copies share
// everything immutable, so one per operation is affordable.
//
// The fault model. A program has a right to what the interface of shard::disk promises and to nothing more:
//
//   - A write reaches the platter sector by sector (512 bytes), in any order, or not at all, until a flush of its file that
//     was *called* after the write had resolved. Each unflushed sector write survives a power cut or does not, independently;
//     of two unflushed writes to one sector either may be the one that stays. The very last write before the cut may leave one
//     sector torn: its first bytes new, the rest old.
//   - The length of a file (growing writes, truncations) is metadata: changes since the last flush survive up to some point in
//     their order. What is kept beyond what was written reads as zeros. Writes made after a truncation that got lost are lost.
//   - Names (create, rename, remove, link, make_directory) survive up to some point in their order, folder by folder, until
//     sync_directory of that folder. Flushing a file does not keep its name, syncing a folder does not keep the bytes of files.
//     A rename inside a folder is atomic. One between folders may leave both names behind until both are synced; never neither.
//   - A failed flush leaves everything it would have covered volatile *for ever*: a later flush that succeeds does not cover it
//     (the kernel has marked those pages clean). Only writing the bytes again and flushing them does.
//   - Bytes that are durable stay, but for flip_bit.
//
// Not modelled: misdirected writes, and folders that lose names which had been synced.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "tests/sim/extents.hh"

namespace sim {

// As a system call would.
[[noreturn]] inline void fail(int error, const std::string& path) {
    throw std::system_error(error, std::generic_category(), path);
}

constexpr size_t sector_bytes = 512;

// A file or a folder, whatever its names.
using node_id = uint64_t;

enum class op_kind : uint8_t {
    // changes: recorded
    create,
    write,
    truncate,
    flush,
    rename,
    remove,
    link,
    make_directory,
    sync_directory,
    flip_bit,
    // the rest: only delayed and failed
    open,
    read,
    size,
    exists,
    list,
    space,
};

struct operation {
    op_kind kind{};
    std::string path;      // of a file operation: the name it was opened by
    std::string to;        // rename, link
    node_id node = 0;      // write, truncate, flush, flip_bit: the file itself, since a handle may outlive the name
    uint64_t position = 0; // write; truncate: the new length; flip_bit: the number of the bit
    slice bytes;           // write: what reached the disk, which may be less than was asked when `error` is set
    uint64_t covers = 0;   // flush: the operations before this one
    int error = 0;         // what the caller got instead of success
};

enum class survival : uint8_t { keep_all, drop_all, random };

// What happens to the volatile part at a power cut.
struct crash_policy {
    survival kind = survival::random;
    uint64_t seed = 0; // for random

    static crash_policy keep_all() { return {survival::keep_all}; }
    static crash_policy drop_all() { return {survival::drop_all}; }
    static crash_policy random(uint64_t seed) { return {survival::random, seed}; }
};

struct pending_change {
    uint64_t index = 0; // of the operation
    bool is_truncation = false;
    bool is_orphan = false; // a failed flush covered it: no later flush does
    uint64_t position = 0;  // of a truncation: the new length
    slice bytes;

    uint64_t end() const { return position + bytes.length; }
};

struct file_node {
    extents current, durable;
    uint64_t size = 0, durable_size = 0;
    std::vector<pending_change> pending; // in order
};

struct name_change {
    uint64_t index = 0;
    std::map<std::string, node_id> edits; // 0: the name goes
    node_id needs = 0;                    // survives only together with the change of the same index in this folder
};

struct folder_node {
    std::map<std::string, node_id> current, durable;
    std::vector<name_change> pending; // in order
};

class disk_model {
public:
    disk_model();

    // Carries out one change, or throws std::system_error and changes nothing. The id of what was created, for `create`.
    node_id apply(const operation&);
    uint64_t operations_count() const { return _operations_count; }
    disk_model after_power_cut(crash_policy) const;

    // ENOENT, EISDIR, ENOTDIR as std::system_error.
    node_id find_file(const std::string& path) const;
    bool exists(const std::string& path) const;
    std::vector<std::string> list(const std::string& path) const;
    const file_node& file(node_id id) const { return *_files.at(id); }
    // Files that have a name or a handle.
    uint64_t used_bytes() const;

    void add_handle(node_id id) { ++_handles[id]; }
    void drop_handle(node_id);

private:
    friend class power_cut;

    node_id find(const std::string& path) const; // 0: not there
    node_id find_folder(const std::string& path) const;
    file_node& own_file(node_id);
    folder_node& own_folder(node_id);
    node_id require(const std::string& path) const;
    void change_names(node_id folder, name_change);

    node_id create(const operation&);
    void write(const operation&);
    void truncate(const operation&);
    void flush(const operation&);
    void rename(const operation&);
    void remove(const operation&);
    void link(const operation&);
    void make_directory(const operation&);
    void sync_directory(const operation&);
    void flip_bit(const operation&);
    void unlink(node_id);
    void sync_names(node_id folder, uint64_t before);
    void collect();

    // Copies of the model share the nodes; own_...() makes one this model's own before it changes.
    std::map<node_id, std::shared_ptr<file_node>> _files;
    std::map<node_id, std::shared_ptr<folder_node>> _folders;
    std::map<node_id, unsigned> _links;   // of files, as users see them
    std::map<node_id, unsigned> _handles; // of files
    node_id _next_id = 0;
    uint64_t _operations_count = 0;
};

} // namespace sim
