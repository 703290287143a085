// What a shard must know about itself that is not in its log: an edit log in the folder `manifest`, named after the shard. Each start
// reads those of all shards there ever were, and goes on with those of the shards there are now.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "shard/core/manifest_edit.hh"
#include "shard/disk.hh"
#include "shard/edit_log.hh"

namespace shard {

class manifest {
public:
    struct opened;
    // Makes it when it is not there. The disk must outlive it. Errors as of edit_log::open().
    static seastar::future<base::expected<opened>> open(disk&, unsigned shard);
    // The shards that have one. Makes the folder when it is not there. io_error, out_of_space.
    static seastar::future<base::expected<std::vector<unsigned>>> list(disk&);

    // Durable when it resolves with success; errors as of edit_log::append(). A long history is shortened on the way.
    seastar::future<base::expected<void>> set(high_water_marks);
    seastar::future<> close() { return _log->close(); }

private:
    explicit manifest(std::unique_ptr<edit_log> log) : _log(std::move(log)) {}

    std::unique_ptr<edit_log> _log;
};

struct manifest::opened {
    std::unique_ptr<manifest> log;
    high_water_marks marks;
    std::vector<std::string> damage; // a sentence each
};

} // namespace shard
