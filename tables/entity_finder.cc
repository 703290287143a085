#include "tables/entity_finder.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>

namespace tables {
namespace {

// Of the rows in memory, newest first, down to the first that is not a merge.
void find_in_memory(const read_view& view, std::string_view partition_key, std::string_view row_key,
                    std::vector<row_version>& out) {
    std::vector<row_version> some;
    for (const auto& m : view.memtables) {
        if (is_decided(out)) {
            return;
        }
        some.clear();
        m->find(partition_key, row_key, view.snapshot, some);
        out.insert(out.end(), some.begin(), some.end());
    }
}

seastar::future<base::expected<std::optional<stored_version>>> find_in_segment(segment& s, std::string_view partition_key,
                                                                               std::string_view row_key) {
    const auto i = s.is_ours(partition_key) ? s.view().locate(partition_key, row_key) : std::nullopt;
    if (!i) {
        co_return std::nullopt;
    }
    if (!co_await s.may_have(*i, partition_key, row_key)) {
        co_return std::nullopt;
    }
    auto block = co_await s.block(*i);
    if (!block) {
        co_return std::unexpected(block.error());
    }
    const auto& rows = (*block)->rows();
    const auto at = rows.lower_bound(partition_key, row_key);
    if (at == rows.size()) {
        co_return std::nullopt;
    }
    const auto row = rows[at];
    if (row.partition_key != partition_key || row.row_key != row_key) {
        co_return std::nullopt;
    }
    co_return stored_version{std::move(*block), {{}, row.kind, row.timestamp, row.row}};
}

stored_version without_properties(const stored_version& v) {
    return {nullptr, {v.version.sequence, v.version.kind, v.version.timestamp, {}}};
}

} // namespace

seastar::future<base::expected<void>> stored_rows::load(table_ptr t, base::sequence snapshot, std::string partition_key,
                                                        std::vector<wanted_row> wanted) {
    _rows.clear();
    _generation = t->generation();
    const auto view = t->view(snapshot);
    std::vector<row_version> in_memory;
    for (const auto& [row_key, needs_properties] : wanted) {
        in_memory.clear();
        find_in_memory(view, partition_key, row_key, in_memory);
        if (is_decided(in_memory)) {
            continue;
        }
        if (t->damage()) {
            co_return std::unexpected(*t->damage());
        }
        auto& found = _rows[row_key];
        for (const auto& s : view.segments) {
            auto version = co_await find_in_segment(*s, partition_key, row_key);
            if (!version) {
                co_return std::unexpected(version.error());
            }
            if (*version) {
                found.push_back(needs_properties ? std::move(**version) : without_properties(**version));
                if (!needs_properties || found.back().version.kind != row_kind::merge) {
                    break;
                }
            }
        }
    }
    co_return base::expected<void>();
}

const std::vector<stored_version>* stored_rows::find(std::string_view row_key) const {
    const auto found = _rows.find(row_key);
    return found == _rows.end() ? nullptr : &found->second;
}

entity_finder::entity_finder(const table& t, const stored_rows& stored, base::sequence snapshot)
    : _view(t.view(snapshot)), _stored(stored) {}

std::optional<current_entity> entity_finder::find(std::string_view partition_key, std::string_view row_key) {
    _versions.clear();
    find_in_memory(_view, partition_key, row_key, _versions);
    if (!_versions.empty()) {
        _newest_seen = std::max(_newest_seen, _versions.front().sequence);
    }
    if (const auto* stored = is_decided(_versions) ? nullptr : _stored.find(row_key)) {
        std::ranges::transform(*stored, std::back_inserter(_versions), &stored_version::version);
    }
    if (_versions.empty()) {
        return std::nullopt;
    }
    const auto row = _resolver.resolve({partition_key, row_key}, _versions);
    if (row.kind == row_kind::remove) {
        return std::nullopt;
    }
    return current_entity{row.timestamp, row.row};
}

} // namespace tables
