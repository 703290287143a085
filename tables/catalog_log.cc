#include "tables/catalog_log.hh"

#include <algorithm>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

namespace tables {
namespace {

// A shorter history is left as it is.
constexpr uint64_t short_bytes_min = 64 << 10;
constexpr auto catalog_path = "catalog";
static_assert(catalog_bytes_max <= shard::edit_log_bytes_max / 4 * 3);

std::vector<std::string> history_of(const catalog_state& state) {
    std::vector<std::string> edits;
    for (const auto& edit : state.snapshot()) {
        edits.push_back(encode(edit));
    }
    return edits;
}

} // namespace

seastar::future<base::expected<catalog_log::opened>> catalog_log::open(shard::disk& disk) {
    auto history = co_await shard::edit_log::open(disk, catalog_path);
    if (!history) {
        co_return std::unexpected(history.error());
    }
    opened result;
    for (const auto& lost : history->report.lost) {
        result.damage.push_back(
            fmt::format("catalog: edits {} to {} are lost in both copies", lost.first_number, lost.next_number - 1));
    }
    for (const auto& bytes : history->edits) {
        auto edit = decode_catalog_edit(bytes);
        auto applied = edit ? result.state.apply(*edit) : std::unexpected(edit.error());
        if (!applied) {
            result.damage.push_back("catalog: " + base::to_string(applied.error()));
        }
    }
    result.log.reset(new catalog_log(std::move(history->log)));
    co_return result;
}

seastar::future<base::expected<void>> catalog_log::append(catalog_edit edit, const catalog_state& before) {
    auto bytes = encode(edit);
    if (!_log->has_room_for(bytes)) {
        co_await shorten(before);
    }
    co_return co_await _log->append(std::move(bytes));
}

seastar::future<> catalog_log::shorten_if_long(const catalog_state& state) {
    if (_log->size_bytes() > shard::long_history_bytes(std::max(_short_bytes, short_bytes_min))) {
        co_await shorten(state);
    }
}

seastar::future<> catalog_log::shorten(const catalog_state& state) {
    if (auto done = co_await _log->rewrite(history_of(state)); done) {
        _short_bytes = _log->size_bytes();
    }
}

seastar::future<base::expected<void>> catalog_log::write_copy(shard::snapshot_folder to, const catalog_state& state) {
    return shard::edit_log::write_new(to.on(), to.path_of(catalog_path), history_of(state));
}

} // namespace tables
