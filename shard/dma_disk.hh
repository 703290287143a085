// The real disk: Seastar's direct I/O below one root directory, which must exist. It holds no state but the root's name, so
// each shard makes its own; files belong to the shard that opened them.
//
// Direct I/O is what makes flush() mean something and keeps data out of the page cache. A file system that has none is refused
// at open with EINVAL and a sentence saying so. tmpfs is the exception Seastar itself makes (there is no device to bypass),
// and so does a reactor started with --kernel-page-cache or --relaxed-dma.
#pragma once

#include <string>

#include "shard/disk.hh"

namespace shard {

class dma_disk final : public disk {
public:
    explicit dma_disk(std::string root) : _root(std::move(root)) {}

    seastar::future<file_ptr> open(std::string path, open_mode) override;
    seastar::future<bool> exists(std::string path) override;
    seastar::future<> rename(std::string from, std::string to) override;
    seastar::future<> remove(std::string path) override;
    seastar::future<> link(std::string from, std::string to) override;
    seastar::future<> make_directory(std::string path) override;
    seastar::future<std::vector<std::string>> list(std::string path) override;
    seastar::future<> sync_directory(std::string path) override;
    seastar::future<disk_space> space() override;

private:
    std::string full_file(const std::string& path) const;
    std::string full_folder(const std::string& path) const;

    std::string _root;
};

} // namespace shard
