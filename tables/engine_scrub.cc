// Verifying what is on the disk of one shard.

#include <seastar/core/coroutine.hh>

#include "shard/wal_scrub.hh"
#include "tables/catalog_log.hh"
#include "tables/engine.hh"

namespace tables {
namespace {

void tell(shard::scrub& pass, const base::expected<std::vector<std::string>>& history) {
    if (!history) {
        pass.found(base::to_string(history.error()));
        return;
    }
    for (const auto& sentence : *history) {
        pass.found(sentence);
    }
    pass.end_file();
}

} // namespace

seastar::future<> engine::scrub_here(shard::scrub& pass) {
    const auto hold = _work.try_hold();
    if (!hold || !_log) {
        co_return;
    }
    if (_catalog_log) {
        tell(pass, co_await _catalog_log->check());
    }
    for (const auto& m : _store->manifests()) {
        tell(pass, co_await m->check());
    }
    co_await shard::scrub_log(*_disk, *_log, pass);
    // As they are now: whoever holds a segment keeps its file.
    std::vector<segment_ptr> segments;
    for (const auto& [id, t] : _tables) {
        segments.insert(segments.end(), t->segments().begin(), t->segments().end());
        if (t->damage()) {
            pass.found(base::to_string(*t->damage())); // a file that could not be opened at the start
        }
    }
    while (!segments.empty() && !pass.is_given_up() && !_work.is_closed()) {
        const auto one = std::move(segments.back());
        segments.pop_back();
        co_await one->verify(pass);
    }
}

} // namespace tables
