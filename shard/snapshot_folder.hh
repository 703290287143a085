// A second store inside the data directory that shares its immutable files with the first: the same names, below one folder.
// Files that are written in place (manifests, catalog) are written anew by their owners, everything else gets a second name.
// Failures are std::system_error, as from the disk itself. A value: each shard makes its own of its disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "shard/disk.hh"

namespace shard {

class snapshot_folder {
public:
    // The disk must outlive it.
    snapshot_folder(disk& d, std::string path) : _disk(&d), _path(std::move(path)) {}

    disk& on() const { return *_disk; }
    const std::string& path() const { return _path; }
    // Where the file of that name lies in the snapshot.
    std::string path_of(const std::string& name) const { return _path + '/' + name; }

    // Empty, with these folders in it; what an earlier attempt left is gone.
    seastar::future<> create(std::vector<std::string> folders) const;
    // False when there is no such file (any more).
    seastar::future<bool> link(std::string name) const;
    // Of a small file; nothing happens when it is not there.
    seastar::future<> copy(std::string name) const;
    // All names in it are durable.
    seastar::future<> sync() const;
    // Takes it away again, as far as it is there.
    seastar::future<> remove() const;

private:
    disk* _disk;
    std::string _path;
};

} // namespace shard
