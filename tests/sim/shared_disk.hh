// Lets every shard use a disk that lives on one of them: each operation is a message to its owner. Each shard makes its own
// shared_disk, and uses the files it opened itself.
#pragma once

#include <seastar/core/sharded.hh>

#include "shard/disk.hh"

namespace sim {

class shared_disk final : public shard::disk {
public:
    // `disk` is used on shard `owner` only and must outlive this.
    shared_disk(shard::disk& disk, unsigned owner) : _disk(disk), _owner(owner) {}

    seastar::future<shard::file_ptr> open(std::string path, shard::open_mode) override;
    seastar::future<bool> exists(std::string path) override;
    seastar::future<> rename(std::string from, std::string to) override;
    seastar::future<> remove(std::string path) override;
    seastar::future<> link(std::string from, std::string to) override;
    seastar::future<> make_directory(std::string path) override;
    seastar::future<std::vector<std::string>> list(std::string path) override;
    seastar::future<> sync_directory(std::string path) override;
    seastar::future<shard::disk_space> space() override;

private:
    shard::disk& _disk;
    const unsigned _owner;
};

} // namespace sim
