// Verifying what is on the disk of one shard.

#include <algorithm>

#include <seastar/core/coroutine.hh>

#include "shard/wal_scrub.hh"
#include "tables/catalog_log.hh"
#include "tables/engine.hh"

namespace tables {
namespace {

void tell_findings(shard::scrub& pass, const base::expected<std::vector<std::string>>& history) {
    if (!history) {
        pass.found(base::to_string(history.error()));
        return;
    }
    for (const auto& sentence : *history) {
        pass.found(sentence);
    }
    pass.end_file();
}

struct listed_segment {
    base::table_id table;
    std::string file;
    stored_segment place;
};

// Null: it is gone.
segment_ptr find_listed(const std::unordered_map<base::table_id, table_ptr>& tables, const listed_segment& listed) {
    const auto t = tables.find(listed.table);
    if (t == tables.end()) {
        return nullptr;
    }
    const auto& all = t->second->segments();
    const auto found =
        std::ranges::find_if(all, [&](const auto& s) { return s->place() == listed.place && s->file().name() == listed.file; });
    return found == all.end() ? nullptr : *found;
}

} // namespace

seastar::future<> engine::scrub_here(shard::scrub& pass) {
    const auto hold = _work.try_hold();
    if (!hold || !_log) {
        co_return;
    }
    if (_catalog_log) {
        tell_findings(pass, co_await _catalog_log->check());
    }
    for (const auto& m : _store->manifests()) {
        tell_findings(pass, co_await m->check());
    }
    co_await shard::scrub_log(*_disk, *_log, pass);
    // Only where they are: whoever holds a segment keeps its file, and a pass may take days.
    std::vector<listed_segment> listed;
    for (const auto& [id, t] : _tables) {
        for (const auto& s : t->segments()) {
            listed.push_back({id, s->file().name(), s->place()});
        }
        if (t->damage()) {
            pass.found(base::to_string(*t->damage())); // a file that could not be opened at the start
        }
    }
    while (!listed.empty() && !pass.is_given_up() && !_work.is_closed()) {
        // What was merged since has been read for that.
        if (const auto one = find_listed(_tables, listed.back())) {
            co_await one->verify(pass);
        }
        listed.pop_back();
    }
}

} // namespace tables
