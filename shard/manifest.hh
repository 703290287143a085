// What a shard must know about itself that is not in its log: what it has given out, and its live files. An edit log in the
// folder `manifest`, named after the shard. Each start reads those of all shards there ever were; the ones of shards that are no
// more have a keeper among those that are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/semaphore.hh>

#include "base/error.hh"
#include "shard/core/manifest_state.hh"
#include "shard/disk.hh"
#include "shard/edit_log.hh"
#include "shard/snapshot_folder.hh"

namespace shard {

inline const std::string manifest_folder = "manifest";

class manifest {
public:
    struct opened;
    // Makes it when it is not there. The disk must outlive it. Errors as of edit_log::open().
    static seastar::future<base::expected<opened>> open(disk&, unsigned shard);
    // The shards that have one. Makes the folder when it is not there. io_error, out_of_space.
    static seastar::future<base::expected<std::vector<unsigned>>> list(disk&);

    unsigned shard() const { return _shard; }
    const manifest_state& state() const { return _state; }
    // Some of its history was damaged when it was opened: files may live that it does not list any more.
    bool has_lost_edits() const { return _has_lost_edits; }
    // Durable when it resolves with success, and then state() has it; errors as of edit_log::append(). A long history is
    // shortened on the way. Calls take turns.
    seastar::future<base::expected<void>> apply(manifest_edit);
    // While the units are held, the state and what is on the disk are the same and do not change; those who want to wait.
    seastar::future<seastar::semaphore_units<>> pause() { return seastar::get_units(_turn, 1); }
    // Writes the manifest of another store, whose folders are there, to begin with this state. Errors as of edit_log::open().
    static seastar::future<base::expected<void>> write_copy(snapshot_folder, unsigned shard, manifest_state);
    // As of edit_log::check().
    seastar::future<base::expected<std::vector<std::string>>> check() { return _log->check(); }
    seastar::future<> close() { return _log->close(); }

private:
    static constexpr uint64_t long_bytes_min = 64 << 10;

    manifest(unsigned shard, std::unique_ptr<edit_log> log) : _shard(shard), _log(std::move(log)) {}

    // Holds the turn. A failure leaves the long history as it was.
    seastar::future<> shorten();

    const unsigned _shard;
    std::unique_ptr<edit_log> _log;
    manifest_state _state;
    bool _has_lost_edits = false;
    seastar::semaphore _turn{1};
    uint64_t _long_bytes = long_bytes_min; // a history above this is worth a rewrite
};

struct manifest::opened {
    std::unique_ptr<manifest> log;
    std::vector<std::string> damage; // a sentence each
};

} // namespace shard
