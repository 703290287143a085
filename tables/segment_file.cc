#include "tables/segment_file.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "shard/disk_error.hh"
#include "tables/logger.hh"

namespace tables {
namespace {

seastar::future<> close_and_unlink(shard::disk& disk, seastar::gate::holder, shard::file_ptr file, std::string path,
                                   std::optional<uint64_t> doomed_bytes) {
    co_await file->close();
    if (!doomed_bytes) {
        co_return;
    }
    try {
        co_await disk.remove(path);
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be removed, the next start will: {}", path, e.what());
    }
    disk.end_leaving(*doomed_bytes);
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
    (void)close_and_unlink(_disk, std::move(_hold), std::move(_file), std::move(_path), _doomed_bytes);
}

void segment_file::doom(uint64_t bytes) {
    _doomed_bytes = bytes;
    _disk.add_leaving(bytes);
}

seastar::future<base::expected<seastar::temporary_buffer<char>>> segment_file::read(file_extent extent) {
    const auto keep = shared_from_this();
    try {
        auto bytes = co_await _file->read(extent.offset, extent.size);
        if (bytes.size() != extent.size) {
            co_return base::fail(base::errc::corrupt,
                                 fmt::format("{} ends at {}, before {}", _path, extent.offset + bytes.size(), extent.end()));
        }
        co_return bytes;
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, _path));
    }
}

seastar::future<base::expected<segment_file_ptr>> open_segment_file(shard::disk& d, seastar::gate::holder hold,
                                                                    std::string path) {
    try {
        auto file = co_await d.open(path, shard::open_mode::read);
        co_return seastar::make_lw_shared<segment_file>(d, std::move(hold), std::move(path), std::move(file));
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, path));
    }
}

} // namespace tables
