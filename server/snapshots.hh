// Snapshots of the running store in a directory of the operator's choice. A snapshot is made inside the data directory and moved
// to its place with one rename: it is there as a whole or not at all, and another file system is found out before anything is
// written. Lives on shard 0.
#pragma once

#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/semaphore.hh>

#include "base/error.hh"
#include "tables/engine.hh"

namespace server {

class snapshots {
public:
    // `data` is the data directory of the engine, which must outlive this.
    snapshots(tables::engine& e, std::string data) : _engine(e), _data(std::move(data)) {}

    // What a crash left of one under way.
    seastar::future<> remove_leftover();

    // One at a time. `directory` is an absolute path on the file system of the data, whose parent is there; it is empty or not
    // there yet: invalid_argument otherwise, with a sentence. `downtick serve --data DIRECTORY` opens it. Errors as of
    // engine::snapshot().
    seastar::future<base::expected<tables::snapshot_report>> take(std::string directory);

private:
    seastar::future<base::expected<void>> check(std::string directory) const;
    seastar::future<base::expected<void>> move_to(std::string directory);

    tables::engine& _engine;
    const std::string _data;
    seastar::semaphore _turn{1};
};

} // namespace server
