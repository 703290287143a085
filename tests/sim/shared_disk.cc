#include "tests/sim/shared_disk.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

namespace sim {
namespace {

// Memory is freed by the shard that allocated it: arguments are copied there, results are copied here.
template <class T>
using foreign = seastar::foreign_ptr<std::unique_ptr<T>>;

template <class T>
foreign<T> for_another_shard(T value) {
    return seastar::make_foreign(std::make_unique<T>(std::move(value)));
}

class shared_file final : public shard::file {
public:
    shared_file(foreign<shard::file> file, unsigned owner, size_t alignment)
        : _file(std::move(file)), _owner(owner), _alignment(alignment) {}

    size_t alignment() const override { return _alignment; }

    seastar::future<> write(uint64_t position, const char* data, size_t length) override {
        return seastar::smp::submit_to(_owner,
                                       [f = _file.get(), position, data, length] { return f->write(position, data, length); });
    }

    seastar::future<seastar::temporary_buffer<char>> read(uint64_t position, size_t length) override {
        auto there = co_await seastar::smp::submit_to(_owner, [f = _file.get(), position, length] {
            return f->read(position, length).then([](seastar::temporary_buffer<char> bytes) {
                return for_another_shard(std::move(bytes));
            });
        });
        co_return seastar::temporary_buffer<char>::copy_of(std::string_view(there->get(), there->size()));
    }

    seastar::future<> flush() override {
        return seastar::smp::submit_to(_owner, [f = _file.get()] { return f->flush(); });
    }

    seastar::future<uint64_t> size() override {
        return seastar::smp::submit_to(_owner, [f = _file.get()] { return f->size(); });
    }

    seastar::future<> truncate(uint64_t size) override {
        return seastar::smp::submit_to(_owner, [f = _file.get(), size] { return f->truncate(size); });
    }

    seastar::future<> close() override {
        return seastar::smp::submit_to(_owner, [f = _file.get()] { return f->close(); });
    }

private:
    foreign<shard::file> _file;
    const unsigned _owner;
    const size_t _alignment;
};

} // namespace

seastar::future<shard::file_ptr> shared_disk::open(std::string path, shard::open_mode mode) {
    auto f = co_await seastar::smp::submit_to(_owner, [&disk = _disk, &path, mode] {
        return disk.open(std::string(path), mode).then([](shard::file_ptr file) {
            return seastar::make_foreign(std::move(file));
        });
    });
    const auto alignment = f->alignment();
    co_return std::make_unique<shared_file>(std::move(f), _owner, alignment);
}

seastar::future<bool> shared_disk::exists(std::string path) {
    co_return co_await seastar::smp::submit_to(_owner, [&disk = _disk, &path] { return disk.exists(std::string(path)); });
}

seastar::future<> shared_disk::rename(std::string from, std::string to) {
    co_await seastar::smp::submit_to(_owner,
                                     [&disk = _disk, &from, &to] { return disk.rename(std::string(from), std::string(to)); });
}

seastar::future<> shared_disk::remove(std::string path) {
    co_await seastar::smp::submit_to(_owner, [&disk = _disk, &path] { return disk.remove(std::string(path)); });
}

seastar::future<> shared_disk::link(std::string from, std::string to) {
    co_await seastar::smp::submit_to(_owner,
                                     [&disk = _disk, &from, &to] { return disk.link(std::string(from), std::string(to)); });
}

seastar::future<> shared_disk::make_directory(std::string path) {
    co_await seastar::smp::submit_to(_owner, [&disk = _disk, &path] { return disk.make_directory(std::string(path)); });
}

seastar::future<std::vector<std::string>> shared_disk::list(std::string path) {
    auto there = co_await seastar::smp::submit_to(_owner, [&disk = _disk, &path] {
        return disk.list(std::string(path)).then([](std::vector<std::string> names) {
            return for_another_shard(std::move(names));
        });
    });
    co_return std::vector<std::string>(there->begin(), there->end());
}

seastar::future<> shared_disk::sync_directory(std::string path) {
    co_await seastar::smp::submit_to(_owner, [&disk = _disk, &path] { return disk.sync_directory(std::string(path)); });
}

seastar::future<shard::disk_space> shared_disk::space() {
    return seastar::smp::submit_to(_owner, [&disk = _disk] { return disk.space(); });
}

} // namespace sim
