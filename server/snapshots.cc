#include "server/snapshots.hh"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/file.hh>
#include <seastar/core/seastar.hh>

#include "shard/disk_error.hh"
#include "shard/dma_disk.hh"

namespace server {
namespace {

namespace fs = std::filesystem;
using base::errc;
using base::fail;

const std::string unfinished = "snapshot.unfinished";

std::string without_end_slash(const std::string& path) {
    const auto normal = fs::path(path).lexically_normal();
    return normal.has_filename() ? normal.string() : normal.parent_path().string();
}

std::unexpected<base::error> other_file_system(const std::string& directory, const std::string& data) {
    return fail(errc::invalid_argument,
                fmt::format("{} is on another file system than the data in {}: a snapshot shares its files, so "
                            "take it beside the data and copy it from there",
                            directory, data));
}

// A power cut after this leaves it there.
seastar::future<> rename_for_good(std::string from, std::string to) {
    co_await seastar::rename_file(from, to);
    co_await seastar::sync_directory(fs::path(to).parent_path().string());
    co_await seastar::sync_directory(fs::path(from).parent_path().string());
}

} // namespace

seastar::future<> snapshots::remove_leftover() {
    return _engine.remove_snapshot(unfinished);
}

seastar::future<base::expected<tables::snapshot_report>> snapshots::take(std::string directory) {
    if (!directory.starts_with('/') || directory.contains('\0')) {
        co_return fail(errc::invalid_argument, fmt::format("'{}' is not an absolute path on the server's machine", directory));
    }
    directory = without_end_slash(directory);
    const auto turn = co_await seastar::get_units(_turn, 1);
    if (auto good = co_await check(directory); !good) {
        co_return std::unexpected(good.error());
    }
    auto report = co_await _engine.snapshot(unfinished);
    if (!report) {
        co_return report;
    }
    if (auto moved = co_await move_to(std::move(directory)); !moved) {
        co_await remove_leftover();
        co_return std::unexpected(moved.error());
    }
    co_return report;
}

seastar::future<base::expected<void>> snapshots::check(std::string directory) const {
    const auto parent = fs::path(directory).parent_path().string();
    try {
        if (co_await seastar::file_exists(directory)) {
            shard::dma_disk there(directory);
            if (const auto names = co_await there.list(""); !names.empty()) {
                co_return fail(errc::invalid_argument, fmt::format("{} is there and not empty", directory));
            }
            if (co_await seastar::file_exists(directory + "/../identity")) {
                co_return fail(errc::invalid_argument, fmt::format("{} is a folder of a data directory", directory));
            }
        }
        const auto target = co_await seastar::file_stat(parent);
        const auto source = co_await seastar::file_stat(_data);
        if (target.device_id != source.device_id) {
            co_return other_file_system(directory, _data);
        }
    } catch (const std::system_error& e) {
        co_return fail(errc::invalid_argument, fmt::format("{}: {}", directory, e.code().message()));
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> snapshots::move_to(std::string directory) {
    try {
        co_await rename_for_good(_data + '/' + unfinished, directory);
    } catch (const std::system_error& e) {
        if (e.code() == std::errc::cross_device_link) {
            co_return other_file_system(directory, _data);
        }
        co_return std::unexpected(shard::error_of(e, directory));
    }
    co_return base::expected<void>();
}

} // namespace server
