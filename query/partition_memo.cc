#include "query/partition_memo.hh"

#include <algorithm>

namespace query {
namespace {

constexpr size_t entries_max = 64;
constexpr size_t partitions_max = 64;

} // namespace

const partition_memo::keys* partition_memo::find(base::table_id table, const tables::partitions_version& version,
                                                 const filter& where) {
    const auto found = std::ranges::find_if(
        _entries, [&](const entry& e) { return e.table == table && e.version == version && e.where == where; });
    if (found == _entries.end()) {
        return nullptr;
    }
    std::rotate(_entries.begin(), found, found + 1);
    return &_entries.front().found;
}

void partition_memo::keep(base::table_id table, const tables::partitions_version& version, const filter& where, const keys& found) {
    if (found.size() > partitions_max) {
        return;
    }
    std::erase_if(_entries, [&](const entry& e) { return e.table == table && e.where == where; });
    _entries.push_front({table, version, where, found});
    if (_entries.size() > entries_max) {
        _entries.pop_back();
    }
}

} // namespace query
