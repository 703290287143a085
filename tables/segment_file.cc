#include "tables/segment_file.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/util/log.hh>

#include "shard/disk_error.hh"

namespace tables {
namespace {

seastar::logger logger("segment_file");

seastar::future<> close_and_unlink(shard::disk& disk, seastar::gate::holder, shard::file_ptr file, std::string path, bool is_doomed) {
    co_await file->close();
    if (!is_doomed) {
        co_return;
    }
    try {
        co_await disk.remove(path);
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be removed, the next start will: {}", path, e.what());
    }
}

} // namespace

const std::string segments_folder = "segments";

std::string segment_path(const std::string& name) {
    return segments_folder + '/' + name;
}

segment_file::segment_file(shard::disk& d, seastar::gate::holder hold, std::string path, shard::file_ptr file)
    : _disk(d), _hold(std::move(hold)), _path(std::move(path)), _file(std::move(file)) {}

segment_file::~segment_file() {
    // Under the gate, and it never fails.
    (void)close_and_unlink(_disk, std::move(_hold), std::move(_file), std::move(_path), _is_doomed);
}

seastar::future<base::expected<seastar::temporary_buffer<char>>> segment_file::read(file_extent extent) {
    const auto keep = shared_from_this();
    try {
        auto bytes = co_await _file->read(extent.offset, extent.size);
        if (bytes.size() != extent.size) {
            co_return base::fail(base::errc::corrupt, fmt::format("{} ends at {}, before {}", _path, extent.offset + bytes.size(), extent.end()));
        }
        co_return bytes;
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, _path));
    }
}

seastar::future<base::expected<segment_directory>> segment_file::read_directory() {
    const auto keep = shared_from_this();
    uint64_t size = 0;
    try {
        size = co_await _file->size();
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, _path));
    }
    const auto end_bytes = std::min<uint64_t>(size, segment_directory::bytes_max);
    auto bytes = co_await read({size - end_bytes, end_bytes});
    if (!bytes) {
        co_return std::unexpected(bytes.error());
    }
    co_return segment_directory::parse({bytes->get(), bytes->size()}, size);
}

seastar::future<base::expected<segment_file_ptr>> open_segment_file(shard::disk& d, seastar::gate::holder hold, std::string path) {
    try {
        auto file = co_await d.open(path, shard::open_mode::read);
        co_return seastar::make_lw_shared<segment_file>(d, std::move(hold), std::move(path), std::move(file));
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, path));
    }
}

} // namespace tables
