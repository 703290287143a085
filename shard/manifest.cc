#include "shard/manifest.hh"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "shard/disk_error.hh"

namespace shard {
namespace {

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
        result.damage.push_back(fmt::format("manifest of shard {}: edits {} to {} are lost in both copies", shard,
                                            lost.first_number, lost.next_number - 1));
    }
    result.log.reset(new manifest(shard, std::move(history->log)));
    for (const auto& bytes : history->edits) {
        if (auto edit = decode_manifest_edit(bytes)) {
            result.log->_state.apply(*edit);
        } else {
            result.damage.push_back(fmt::format("manifest of shard {}: {}", shard, base::to_string(edit.error())));
        }
    }
    result.log->_has_lost_edits = !result.damage.empty();
    co_return result;
}

seastar::future<base::expected<void>> manifest::write_copy(snapshot_folder to, unsigned shard, manifest_state state) {
    std::vector<std::string> edits;
    for (const auto& e : state.snapshot()) {
        edits.push_back(encode(e));
    }
    co_return co_await edit_log::write_new(to.on(), to.path_of(path_of(shard)), std::move(edits));
}

seastar::future<base::expected<void>> manifest::apply(manifest_edit edit) {
    const auto turn = co_await seastar::get_units(_turn, 1);
    auto bytes = encode(edit);
    const bool is_long = _log->size_bytes() > _long_bytes;
    if (!_log->has_room_for(bytes)) {
        co_await shorten();
    }
    auto done = co_await _log->append(std::move(bytes));
    if (!done) {
        co_return done;
    }
    _state.apply(edit);
    if (is_long) {
        co_await shorten();
    }
    co_return done;
}

seastar::future<> manifest::shorten() {
    std::vector<std::string> snapshot;
    for (const auto& e : _state.snapshot()) {
        snapshot.push_back(encode(e));
    }
    if (co_await _log->rewrite(std::move(snapshot))) {
        _long_bytes = std::max(long_bytes_min, long_history_bytes(_log->size_bytes()));
    }
}

} // namespace shard
