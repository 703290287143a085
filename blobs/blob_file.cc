#include "blobs/blob_file.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "blobs/core/blob_name.hh"
#include "blobs/logger.hh"
#include "shard/disk_error.hh"

namespace blobs {
namespace {

using bytes = seastar::temporary_buffer<char>;

// Of each open blob; open_blobs_max of them are little.
constexpr uint64_t kept_tail_bytes_max = 8 << 10;

seastar::future<> unlink(shard::disk& disk, seastar::gate::holder, std::string path, uint64_t bytes) {
    try {
        co_await disk.remove(path);
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be removed, the next start will: {}", path, e.what());
    }
    disk.end_leaving(bytes);
}

seastar::future<> close(seastar::gate::holder, shard::file_ptr file) {
    co_await file->close();
}

seastar::future<base::expected<bytes>> read_from(shard::file& file, const stored_blob& blob, blob_extent extent) {
    try {
        auto read = co_await file.read(blob.extent.offset + extent.offset, extent.size);
        if (read.size() != extent.size) {
            co_return std::unexpected(about(blob, {base::errc::corrupt, "its file is too short"}));
        }
        co_return read;
    } catch (const std::exception& e) {
        co_return std::unexpected(about(blob, shard::error_of(e, fmt::format("bytes {}..{}", extent.offset, extent.end()))));
    }
}

std::string_view view_of(const bytes& b) {
    return {b.get(), b.size()};
}

seastar::future<base::expected<blob_view>> read_view(shard::file& file, const stored_blob& blob) {
    const auto size = blob.extent.size;
    const auto end_bytes = std::min<uint64_t>(size, blob_layout::trailers_bytes);
    auto end = co_await read_from(file, blob, {size - end_bytes, end_bytes});
    if (!end) {
        co_return std::unexpected(end.error());
    }
    const auto trailer = blob_trailer::parse(view_of(*end), size);
    if (!trailer) {
        co_return std::unexpected(about(blob, trailer.error()));
    }
    auto footers = co_await read_from(file, blob, trailer->footers());
    if (!footers) {
        co_return std::unexpected(footers.error());
    }
    auto view = blob_view::open(*trailer, view_of(*footers));
    if (!view) {
        co_return std::unexpected(about(blob, view.error()));
    }
    if (view->identity() != blob.identity) {
        co_return std::unexpected(about(blob, {base::errc::corrupt, "another blob is at its place"}));
    }
    co_return std::move(*view);
}

} // namespace

const std::string blobs_folder = "blobs";

std::string path_of_file(const std::string& name) {
    return blobs_folder + '/' + name;
}

base::error about(const stored_blob& blob, const base::error& e) {
    return {e.code, fmt::format("blob {}: {}", blob_name(blob.identity), e.detail)};
}

blob_file::blob_file(shard::disk& d, seastar::gate::holder hold, std::string name, shard::manifest* listed_in)
    : _disk(d), _hold(std::move(hold)), _name(std::move(name)), _listed_in(listed_in) {}

blob_file::~blob_file() {
    if (_doomed_bytes) {
        // Under the gate, and it never fails.
        (void)unlink(_disk, std::move(_hold), path_of_file(_name), *_doomed_bytes);
    }
}

void blob_file::doom(uint64_t bytes) {
    _doomed_bytes = bytes;
    _disk.add_leaving(bytes);
}

open_blob::open_blob(blob_ptr blob, shard::file_ptr file, blob_view view)
    : _blob(std::move(blob)), _file(std::move(file)), _view(std::move(view)) {}

open_blob::~open_blob() {
    (void)close(_blob->file->hold(), std::move(_file)); // likewise
}

seastar::future<base::expected<open_blob_ptr>> open_blob::open(blob_ptr blob) {
    shard::file_ptr file;
    try {
        file = co_await blob->file->disk().open(path_of_file(blob->file->name()), shard::open_mode::read);
    } catch (const std::exception& e) {
        co_return std::unexpected(about(blob->facts, shard::error_of(e, path_of_file(blob->file->name()))));
    }
    auto view = co_await read_view(*file, blob->facts);
    if (!view) {
        co_await file->close();
        co_return std::unexpected(view.error());
    }
    co_return seastar::make_lw_shared<open_blob>(std::move(blob), std::move(file), std::move(*view));
}

bool open_blob::is_tail(blob_extent extent) const {
    return !_view.blocks().empty() && extent == _view.blocks().back().extent && extent.size <= kept_tail_bytes_max;
}

seastar::future<base::expected<bytes>> open_blob::read(blob_extent extent) {
    const bool is_kept = is_tail(extent);
    if (is_kept && !_tail.empty()) {
        co_return _tail.share();
    }
    auto read = co_await read_from(*_file, _blob->facts, extent);
    if (is_kept && read) {
        _tail = read->share();
    }
    co_return read;
}

namespace {

seastar::future<base::expected<blob_directory>> read_directory_of(shard::file& file) {
    const auto size = co_await file.size();
    const auto tail = co_await file.read(size - std::min<uint64_t>(size, blob_directory::tail_bytes), blob_directory::tail_bytes);
    const auto wanted = blob_directory::end_bytes(view_of(tail));
    if (!wanted) {
        co_return std::unexpected(wanted.error());
    }
    const auto end_bytes = std::min<uint64_t>(size, *wanted);
    const auto end = co_await file.read(size - end_bytes, end_bytes);
    co_return blob_directory::parse(view_of(end), size);
}

} // namespace

seastar::future<base::expected<blob_directory>> read_directory(shard::disk& disk, std::string name) {
    shard::file_ptr file;
    base::expected<blob_directory> directory;
    try {
        file = co_await disk.open(path_of_file(name), shard::open_mode::read);
        directory = co_await read_directory_of(*file);
    } catch (const std::exception& e) {
        directory = std::unexpected(shard::error_of(e, path_of_file(name)));
    }
    if (file) {
        co_await file->close();
    }
    co_return directory;
}

} // namespace blobs
