#include "shard/disk.hh"

#include <cstring>
#include <system_error>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>

#include "shard/core/disk_path.hh"

namespace shard {
namespace {

// A file is closed whatever happened to it, and the first failure is the one that is told.
seastar::future<> close_then_rethrow(file_ptr f, std::exception_ptr failure) {
    co_await f->close();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

seastar::future<> write_content(file& f, const std::string& content) {
    // Whole sectors are written, so the file is cut to its length afterwards; nothing points at it before the rename.
    auto buffer = f.allocate(seastar::align_up(content.size(), f.alignment()));
    if (!content.empty()) {
        std::memcpy(buffer.get_write(), content.data(), content.size());
        co_await f.write(0, buffer.get(), buffer.size());
    }
    co_await f.truncate(content.size());
    co_await f.flush();
}

} // namespace

seastar::temporary_buffer<char> file::allocate(size_t length) const {
    auto buffer = seastar::temporary_buffer<char>::aligned(alignment(), length);
    std::memset(buffer.get_write(), 0, length);
    return buffer;
}

seastar::future<std::string> read_whole(disk& d, std::string path, size_t bytes_max) {
    auto f = co_await d.open(path, open_mode::read);
    std::exception_ptr failure;
    std::string content;
    try {
        const auto size = co_await f->size();
        if (size > bytes_max) {
            throw std::system_error(EFBIG, std::generic_category(), path);
        }
        const auto buffer = co_await f->read(0, size);
        content.assign(buffer.get(), buffer.size());
    } catch (...) {
        failure = std::current_exception();
    }
    co_await close_then_rethrow(std::move(f), std::move(failure));
    co_return content;
}

seastar::future<> replace_whole(disk& d, std::string path, std::string content) {
    const auto beside = path + ".new";
    if (co_await d.exists(beside)) {
        co_await d.remove(beside); // left by a crash: never published, so never read
    }
    auto f = co_await d.open(beside, open_mode::create);
    std::exception_ptr failure;
    try {
        co_await write_content(*f, content);
    } catch (...) {
        failure = std::current_exception();
    }
    co_await close_then_rethrow(std::move(f), std::move(failure));
    co_await d.rename(beside, path);
    co_await d.sync_directory(folder_of(path));
}

} // namespace shard
