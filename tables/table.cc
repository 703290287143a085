#include "tables/table.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

namespace tables {

seastar::future<> free_in_steps(table_ptr t) {
    while (t->rows().clear_step()) {
        co_await seastar::coroutine::maybe_yield();
    }
}

std::optional<current_entity> entity_finder::find(std::string_view partition_key, std::string_view row_key) {
    _versions.clear();
    _table.rows().find(partition_key, row_key, _snapshot, _versions);
    if (_versions.empty()) {
        return std::nullopt;
    }
    _newest_seen = std::max(_newest_seen, _versions.front().sequence);
    const auto row = _resolver.resolve({partition_key, row_key}, _versions);
    if (row.kind == row_kind::remove) {
        return std::nullopt;
    }
    return current_entity{row.timestamp, row.row};
}

} // namespace tables
