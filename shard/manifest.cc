#include "shard/manifest.hh"

#include <charconv>
#include <set>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "shard/disk_error.hh"

namespace shard {
namespace {

const std::string manifest_folder = "manifest";
// Each start adds one edit of 25 bytes; some thousand of them are enough history.
constexpr uint64_t long_bytes = 64 << 10;

std::string path_of(unsigned shard) {
    return fmt::format("{}/{:03}", manifest_folder, shard);
}

} // namespace

seastar::future<base::expected<std::vector<unsigned>>> manifest::list(disk& d) {
    std::set<unsigned> shards;
    try {
        co_await d.make_directory(manifest_folder);
        co_await d.sync_directory("");
        const auto names = co_await d.list(manifest_folder);
        for (const auto& name : names) {
            unsigned shard = 0;
            const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), shard);
            if (status == std::errc() && end != name.data() + name.size() && *end == '.') {
                shards.insert(shard);
            }
        }
    } catch (const std::system_error& e) {
        co_return std::unexpected(error_of(e, "the folder of the manifests"));
    }
    co_return std::vector<unsigned>(shards.begin(), shards.end());
}

seastar::future<base::expected<manifest::opened>> manifest::open(disk& d, unsigned shard) {
    auto history = co_await edit_log::open(d, path_of(shard));
    if (!history) {
        co_return std::unexpected(history.error());
    }
    opened result;
    for (const auto& lost : history->report.lost) {
        result.damage.push_back(fmt::format("manifest of shard {}: edits {} to {} are lost in both copies", shard, lost.first_number,
                                            lost.next_number - 1));
    }
    for (const auto& bytes : history->edits) {
        if (auto marks = decode_manifest_edit(bytes)) {
            result.marks.raise_to(*marks);
        } else {
            result.damage.push_back(fmt::format("manifest of shard {}: {}", shard, base::to_string(marks.error())));
        }
    }
    result.log.reset(new manifest(std::move(history->log)));
    co_return result;
}

seastar::future<base::expected<void>> manifest::set(high_water_marks marks) {
    if (_log->size_bytes() > long_bytes) {
        return _log->rewrite({encode(marks)});
    }
    return _log->append(encode(marks));
}

} // namespace shard
