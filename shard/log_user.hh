// Whoever has data in a shard's log besides the table engine, which owns the log and opens the store. One on each shard; told of
// every record of its kind when a store is opened, asked from where on the log is needed while it runs.
#pragma once

#include <string>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "base/ids.hh"
#include "shard/core/wal_reader.hh"
#include "shard/core/wal_record.hh"
#include "shard/disk.hh"
#include "shard/disk_guard.hh"
#include "shard/manifest.hh"
#include "shard/wal.hh"

namespace shard {

// What a store gives to its users on one shard.
struct log_services {
    shard::disk& disk;
    const disk_guard& guard; // to be asked before each append
    shard::wal& log;
    shard::manifest& manifest; // for new files
    uint64_t epoch = 0;        // of the log
    unsigned shards_count = 1;
};

class log_user {
public:
    virtual ~log_user() = default;

    virtual record_kind kind() const = 0;
    // Where the files lie that it lists in manifests, below the data directory. They never change.
    virtual std::string files_folder() const = 0;

    // --- at opening, in this order

    // Each manifest that this shard keeps: its own first, then those of shards that are no more. They stay open while it runs.
    virtual seastar::future<base::expected<void>> load(disk&, manifest&) = 0;
    // A record of the log of that epoch and shard, on the shard that reads it, which need not be the one that wrote it. In the
    // order of the log. Its payload lives until the future resolves. What does not fit into memory may go to files at once, with
    // lane_marks in the same edit.
    virtual seastar::future<> replay(uint64_t epoch, unsigned shard, const wal_record&) = 0;
    // All has been replayed, and on no shard a log takes records yet: what is known only from marks that this run will write over
    // goes into the shard's own manifest.
    virtual seastar::future<base::expected<void>> settle(manifest&) = 0;
    // The log takes records from here on.
    virtual void start(log_services) = 0;

    // --- running

    // The first sequence of this epoch that is not in files; the log's next() when all are.
    virtual base::sequence needed_from() const = 0;
    // All that is in memory goes to files, what was replayed too. Before start() as well, when memory is short.
    virtual seastar::future<base::expected<void>> flush() = 0;
    // Before the log stops; nothing is appended afterwards.
    virtual seastar::future<> stop() = 0;
};

} // namespace shard
