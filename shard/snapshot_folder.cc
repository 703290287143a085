#include "shard/snapshot_folder.hh"

#include <system_error>

#include <seastar/core/coroutine.hh>

namespace shard {
namespace {

constexpr size_t small_file_bytes_max = 64 << 10;

bool is_gone(const std::system_error& e) {
    return e.code() == std::errc::no_such_file_or_directory;
}

// Of a folder that holds files and such folders; a file has none.
seastar::future<bool> is_folder(disk& d, std::string path) {
    try {
        co_await d.list(path);
        co_return true;
    } catch (const std::system_error&) {
        co_return false;
    }
}

} // namespace

seastar::future<> snapshot_folder::create(std::vector<std::string> folders) const {
    co_await remove();
    co_await _disk->make_directory(_path);
    for (const auto& folder : folders) {
        co_await _disk->make_directory(path_of(folder));
    }
}

seastar::future<bool> snapshot_folder::link(std::string name) const {
    try {
        co_await _disk->link(name, path_of(name));
        co_return true;
    } catch (const std::system_error& e) {
        if (!is_gone(e)) {
            throw;
        }
    }
    co_return false;
}

seastar::future<> snapshot_folder::copy(std::string name) const {
    if (co_await _disk->exists(name)) {
        co_await replace_whole(*_disk, path_of(name), co_await read_whole(*_disk, name, small_file_bytes_max));
    }
}

seastar::future<> snapshot_folder::sync() const {
    const auto names = co_await _disk->list(_path);
    for (const auto& name : names) {
        if (co_await is_folder(*_disk, path_of(name))) {
            co_await _disk->sync_directory(path_of(name));
        }
    }
    co_await _disk->sync_directory(_path);
}

seastar::future<> snapshot_folder::remove() const {
    if (!co_await _disk->exists(_path)) {
        co_return;
    }
    const auto names = co_await _disk->list(_path);
    for (const auto& name : names) {
        const auto path = path_of(name);
        if (co_await is_folder(*_disk, path)) {
            co_await snapshot_folder(*_disk, path).remove();
        } else {
            co_await _disk->remove(path);
        }
    }
    co_await _disk->remove(_path);
}

} // namespace shard
