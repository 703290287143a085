#include "shard/dma_disk.hh"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/core/file.hh>
#include <seastar/core/seastar.hh>

#include "shard/core/disk_path.hh"

namespace shard {
namespace {

class dma_file final : public file {
public:
    explicit dma_file(seastar::file f) : _file(std::move(f)) {}

    size_t alignment() const override { return std::max(_file.disk_write_dma_alignment(), _file.memory_dma_alignment()); }

    seastar::future<> write(uint64_t position, const char* data, size_t length) override {
        const auto unit = alignment();
        if (position % unit != 0 || length % unit != 0 || reinterpret_cast<uintptr_t>(data) % unit != 0) {
            throw std::invalid_argument("a write that is not aligned");
        }
        while (length > 0) {
            const auto written = co_await _file.dma_write(position, data, length);
            // A short write may end inside a sector; that sector is written again as a whole.
            const auto whole = seastar::align_down<size_t>(written, unit);
            if (whole == 0) {
                throw std::system_error(EIO, std::generic_category(), "a write made no progress");
            }
            position += whole;
            data += whole;
            length -= whole;
        }
    }

    seastar::future<seastar::temporary_buffer<char>> read(uint64_t position, size_t length) override {
        if (length == 0) {
            return seastar::make_ready_future<seastar::temporary_buffer<char>>();
        }
        return _file.dma_read<char>(position, length);
    }

    seastar::future<> flush() override { return _file.flush(); }
    seastar::future<uint64_t> size() override { return _file.size(); }
    seastar::future<> truncate(uint64_t size) override { return _file.truncate(size); }
    seastar::future<> close() override { return _file.close(); }

private:
    seastar::file _file;
};

seastar::open_flags flags_of(open_mode mode) {
    switch (mode) {
    case open_mode::read: return seastar::open_flags::ro;
    case open_mode::read_write: return seastar::open_flags::rw;
    case open_mode::create: return seastar::open_flags::rw | seastar::open_flags::create | seastar::open_flags::exclusive;
    }
    throw std::invalid_argument("open_mode");
}

seastar::file_open_options file_options() {
    seastar::file_open_options options;
    // XFS would round every small file up to the hint and leave unwritten extents behind, whose conversion costs a journal
    // commit at each flush. Whoever wants space ahead (the logs) writes it.
    options.extent_allocation_size_hint = 0;
    return options;
}

} // namespace

std::string dma_disk::full_file(const std::string& path) const {
    check_file_path(path);
    return _root + '/' + path;
}

std::string dma_disk::full_folder(const std::string& path) const {
    check_folder_path(path);
    return path.empty() ? _root : _root + '/' + path;
}

seastar::future<file_ptr> dma_disk::open(std::string path, open_mode mode) {
    const auto name = full_file(path);
    try {
        co_return std::make_unique<dma_file>(co_await seastar::open_file_dma(name, flags_of(mode), file_options()));
    } catch (const std::system_error& e) {
        if (e.code() != std::errc::invalid_argument) {
            throw;
        }
        throw std::system_error(e.code(),
                                name + ": this file system has no direct I/O; keep the data on ext4, XFS, btrfs or tmpfs");
    }
}

seastar::future<bool> dma_disk::exists(std::string path) {
    const auto name = full_folder(path);
    co_return co_await seastar::file_exists(name);
}

seastar::future<> dma_disk::rename(std::string from, std::string to) {
    const auto old_name = full_file(from), new_name = full_file(to);
    co_await seastar::rename_file(old_name, new_name);
}

seastar::future<> dma_disk::remove(std::string path) {
    const auto name = full_file(path);
    co_await seastar::remove_file(name);
}

seastar::future<> dma_disk::link(std::string from, std::string to) {
    const auto old_name = full_file(from), new_name = full_file(to);
    co_await seastar::link_file(old_name, new_name);
}

seastar::future<> dma_disk::make_directory(std::string path) {
    const auto name = full_file(path);
    co_await seastar::touch_directory(name);
}

seastar::future<std::vector<std::string>> dma_disk::list(std::string path) {
    const auto name = full_folder(path);
    auto folder = co_await seastar::open_directory(name);
    std::vector<std::string> names;
    std::exception_ptr failure;
    try {
        auto listing = folder.list_directory([&names](seastar::directory_entry entry) {
            names.emplace_back(entry.name);
            return seastar::make_ready_future<>();
        });
        co_await listing.done();
    } catch (...) {
        failure = std::current_exception();
    }
    co_await folder.close();
    if (failure) {
        std::rethrow_exception(failure);
    }
    std::ranges::sort(names);
    co_return names;
}

seastar::future<> dma_disk::sync_directory(std::string path) {
    const auto name = full_folder(path);
    co_await seastar::sync_directory(name);
}

seastar::future<disk_space> dma_disk::space() {
    const auto info = co_await seastar::file_system_space(_root);
    co_return disk_space{.total_bytes = info.capacity, .free_bytes = info.available};
}

} // namespace shard
