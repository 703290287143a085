#include "shard/edit_file.hh"

#include <algorithm>
#include <cstring>
#include <system_error>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>

#include "shard/core/edit_frame.hh"

namespace shard {
namespace {

// How much is read or written in one go: large contiguous memory is hard to get on a shard that has run for long.
constexpr size_t transfer_bytes_max = 128 << 10;
constexpr char unreadable = '\xff';

} // namespace

seastar::future<> edit_file::open(disk& d, std::string path) {
    const bool is_there = co_await d.exists(path);
    _file = co_await d.open(path, is_there ? open_mode::read_write : open_mode::create);
    if (edit_block_bytes % _file->alignment() != 0) {
        throw std::system_error(EINVAL, std::generic_category(), path + ": the disk's sectors are too large for an edit log");
    }
    _size_bytes = seastar::align_down<uint64_t>(co_await _file->size(), edit_block_bytes);
}

seastar::future<> edit_file::close() {
    if (_file) {
        co_await _file->close();
        _file.reset();
    }
}

seastar::future<std::string> edit_file::read(uint64_t length) {
    std::string content(length, '\0');
    size_t step = transfer_bytes_max;
    for (uint64_t at = 0; at < length;) {
        const auto count = std::min<uint64_t>(step, length - at);
        bool is_readable = true;
        try {
            const auto bytes = co_await _file->read(at, count);
            std::memcpy(content.data() + at, bytes.get(), bytes.size());
        } catch (const std::system_error&) {
            is_readable = false;
        }
        if (!is_readable && step > edit_block_bytes) {
            step = edit_block_bytes; // find out which block it is
            continue;
        }
        if (!is_readable) {
            std::memset(content.data() + at, unreadable, count);
        }
        at += count;
    }
    co_return content;
}

seastar::future<> edit_file::write(uint64_t position, std::string_view bytes) {
    for (size_t done = 0; done < bytes.size();) {
        const auto part = bytes.substr(done, transfer_bytes_max);
        auto buffer = _file->allocate(part.size());
        std::memcpy(buffer.get_write(), part.data(), part.size());
        co_await _file->write(position + done, buffer.get(), buffer.size());
        done += part.size();
        _size_bytes = std::max(_size_bytes, position + done);
    }
}

seastar::future<> edit_file::extend(uint64_t size) {
    return wipe(_size_bytes, size);
}

seastar::future<> edit_file::wipe(uint64_t begin, uint64_t end) {
    while (begin < end) {
        const auto buffer = _file->allocate(std::min<uint64_t>(end - begin, transfer_bytes_max));
        co_await _file->write(begin, buffer.get(), buffer.size());
        begin += buffer.size();
        _size_bytes = std::max(_size_bytes, begin);
    }
}

} // namespace shard
