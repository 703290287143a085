// Snapshots: a second store made of second names for the same files, while writing goes on.
//
// What was acknowledged before the call is in a file that a copied manifest lists, or in a log that is linked. On each shard:
//   1. From now on no log file leaves, so what the manifests do not have yet stays in the logs.
//   2. The manifests stand still while their state is noted and the files it lists are linked. A merge or a flush takes a file
//   away
//      only after its edit, so none of those is missing; a drop may, but see 5.
//   3. The log is ended at this point, its files are linked, and they are never recycled. They begin where the manifests end, or
//      before: what is in both is skipped when they are replayed, as after a crash. They never end before the manifests do, so
//      that sequences go on above all that are in files.
//   4. How far sequences and Timestamps went is noted here and there: with the log ended, no file of it need be left to tell.
// Then, on shard 0:
//   5. The catalog comes last. A log or file of a table that it does not know is skipped, so it must know all that the others
//   have;
//      and where a file was missing, its table's drop was in the catalog before.
// The logs of earlier starts are linked first of all, and are not removed until the end. Nor are files whose rows other manifests
// have taken over.

#include <seastar/core/coroutine.hh>
#include <seastar/util/defer.hh>

#include "shard/disk_error.hh"
#include "shard/identity.hh"
#include "shard/snapshot_folder.hh"
#include "tables/catalog_log.hh"
#include "tables/engine.hh"
#include "tables/logger.hh"

namespace tables {
namespace {

using base::errc;
using base::fail;
using shard::log_owner;
using outcome = base::expected<snapshot_report>;

outcome sum(outcome all, const outcome& more) {
    if (!all || !more) {
        return all ? more : all;
    }
    return snapshot_report{all->files_count + more->files_count, all->logs_count + more->logs_count};
}

} // namespace

seastar::future<outcome> engine::snapshot(std::string folder) {
    if (seastar::this_shard_id() != 0) {
        co_return co_await container().invoke_on(0, &engine::snapshot, std::move(folder));
    }
    const auto hold = _work.try_hold();
    if (!hold || !_log) {
        co_return fail(errc::shutting_down, "the server is starting or stopping");
    }
    const auto turn = co_await seastar::get_units(_old_logs_turn, 1);
    outcome done;
    co_await container().invoke_on_all([](engine& e) { e._store->hold_files(); });
    try {
        done = co_await write_snapshot({*_disk, folder});
    } catch (const std::exception& e) {
        done = std::unexpected(shard::error_of(e, folder));
    }
    co_await container().invoke_on_all([](engine& e) { e._store->unhold_files(); });
    if (!done) {
        co_await remove_snapshot(std::move(folder));
    }
    co_return done;
}

seastar::future<> engine::remove_snapshot(std::string folder) {
    try {
        co_await shard::snapshot_folder(*_disk, folder).remove();
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be removed: {}", folder, e.what());
    }
}

seastar::future<outcome> engine::write_snapshot(shard::snapshot_folder to) {
    std::vector<std::string> folders{shard::manifest_folder, shard::wal_folder, segments_folder};
    if (_log_user != nullptr) {
        folders.push_back(_log_user->files_folder());
    }
    co_await to.create(std::move(folders));
    for (const auto& path : shard::identity_paths) {
        co_await to.copy(path);
    }
    for (const auto& name : _old_logs) {
        co_await to.link(shard::wal_path(name));
    }
    auto report = co_await container().map_reduce0([path = to.path()](engine& e) { return e.snapshot_here(path); },
                                                   outcome(snapshot_report{.logs_count = _old_logs.size()}), sum);
    if (!report) {
        co_return report;
    }
    const auto turn = co_await seastar::get_units(_catalog_turn, 1);
    if (auto written = co_await catalog_log::write_copy(to, _catalog); !written) {
        co_return std::unexpected(written.error());
    }
    co_await to.sync();
    co_return report;
}

seastar::future<uint64_t> engine::link_files(shard::snapshot_folder to, const shard::manifest_state& state) const {
    uint64_t count = 0;
    for (const auto& [name, facts] : state.files(log_owner::rows)) {
        count += co_await to.link(segments_folder + '/' + name) ? 1 : 0;
    }
    if (_log_user != nullptr) {
        for (const auto& [name, facts] : state.files(log_owner::records)) {
            count += co_await to.link(_log_user->files_folder() + '/' + name) ? 1 : 0;
        }
    }
    co_return count;
}

seastar::future<outcome> engine::snapshot_here(std::string folder) {
    snapshot_report report;
    const auto hold = _work.try_hold();
    if (!hold || !_log) {
        co_return report; // not one of the shards in use
    }
    const shard::snapshot_folder to(*_disk, std::move(folder));
    _log->keep_files();
    const auto release = seastar::defer([this]() noexcept { _log->unhold(); });
    std::vector<std::pair<unsigned, shard::manifest_state>> states;
    for (const auto& m : _store->manifests()) {
        const auto pause = co_await m->pause();
        states.emplace_back(m->shard(), m->state());
        report.files_count += co_await link_files(to, states.back().second);
    }
    const auto logs = co_await _log->hold();
    if (!logs) {
        co_return std::unexpected(logs.error());
    }
    const auto release_ended = seastar::defer([this]() noexcept { _log->unhold(); });
    for (const auto& path : *logs) {
        report.logs_count += co_await to.link(path) ? 1 : 0;
    }
    const shard::high_water_marks marks{_epoch, base::sequence{_log->next().value - 1}, _clock.last()};
    if (auto marked = co_await _store->own_manifest().apply(marks); !marked) {
        co_return std::unexpected(marked.error());
    }
    states.front().second.apply(marks);
    for (auto& [number, state] : states) {
        if (auto written = co_await shard::manifest::write_copy(to, number, std::move(state)); !written) {
            co_return std::unexpected(written.error());
        }
    }
    co_return report;
}

} // namespace tables
