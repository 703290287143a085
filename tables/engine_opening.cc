// The parts of opening a store that run on each shard (recovery.hh has the whole).

#include <chrono>
#include <functional>
#include <map>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "base/placement.hh"
#include "shard/wal_replay.hh"
#include "tables/engine.hh"
#include "tables/logger.hh"

namespace tables {
namespace {

// What could not be flushed at a start: a full disk may take a while.
constexpr auto flush_again_after = std::chrono::seconds(1);

std::map<unsigned, slot_set> by_owner(const slot_set& slots, unsigned shards_count) {
    std::map<unsigned, slot_set> owners;
    for (unsigned slot = 0; slot < base::slots_count; ++slot) {
        if (slots.has(static_cast<uint8_t>(slot))) {
            owners[base::shard_of_slot(static_cast<uint8_t>(slot), shards_count)].add(static_cast<uint8_t>(slot));
        }
    }
    return owners;
}

} // namespace

using base::errc;

seastar::future<base::expected<void>> engine::load_segments() {
    co_await _store->load(_catalog,
                          [this](stored_segment place, std::string path, segment_store::found_segment found, slot_set slots) {
                              return take_segment(place, std::move(path), std::move(found), slots);
                          });
    if (auto removed = co_await _store->remove_leftovers(); !removed) {
        co_return removed;
    }
    if (_log_user == nullptr) {
        co_return base::expected<void>();
    }
    for (const auto& m : _store->manifests()) {
        if (auto loaded = co_await _log_user->load(*_disk, *m); !loaded) {
            co_return loaded;
        }
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> engine::flush_all() {
    auto rows = co_await flush();
    if (rows && _log_user != nullptr) {
        co_return co_await _log_user->flush();
    }
    co_return rows;
}

// A segment goes to every shard that owns one of its slots. What cannot be opened may be anybody's.
seastar::future<> engine::take_segment(stored_segment place, std::string path, segment_store::found_segment found,
                                       slot_set slots) {
    if (!found) {
        co_await container().invoke_on_all(
            [table = place.table, why = found.error()](engine& e) { e.find_table(table)->set_damage(why); });
        co_return;
    }
    const auto owners = by_owner(slots, _config.shards_count);
    for (const auto& [owner, ours] : owners) {
        if (owner == seastar::this_shard_id()) {
            (*found)->keep_only(ours, _store->placement());
            find_table(place.table)->add_segment(*found);
            continue;
        }
        co_await container().invoke_on(owner, [place, path, ours](engine& e) -> seastar::future<> {
            return e._store->open_shared(path, place, ours).then([&e, place](segment_store::found_segment shared) {
                if (shared) {
                    e.find_table(place.table)->add_segment(*shared);
                } else {
                    e.find_table(place.table)->set_damage(shared.error());
                }
            });
        });
    }
}

// The marks are durable before the first write that goes above them. A full disk must not keep a store from opening: the marks
// of the last start and the logs say the same.
seastar::future<base::expected<void>> engine::start_log(shard::wal_config config, base::tick timestamp) {
    auto marked = co_await _store->own_manifest().apply(
        shard::high_water_marks{config.epoch, base::sequence{config.next.value - 1}, timestamp});
    if (!marked && marked.error().code != errc::out_of_space) {
        co_return marked;
    }
    _clock.advance_past(timestamp);
    auto log = std::make_unique<shard::wal>(*_disk, config);
    auto started = co_await log->start();
    if (started) {
        _log = std::move(log);
        _epoch = config.epoch;
        if (_log_user != nullptr) {
            _log_user->start({*_disk, _guard, *_log, _store->own_manifest(), _epoch, _config.shards_count});
        }
        _flusher->start();
        co_await _guard.start();
    } else {
        co_await log->stop();
    }
    co_return started;
}

seastar::future<bool> engine::flush_all_shards() {
    return container().map_reduce0(
        [](engine& e) -> seastar::future<bool> {
            if (seastar::this_shard_id() >= e._config.shards_count) {
                return seastar::make_ready_future<bool>(true);
            }
            return e.flush_all().then([](const base::expected<void>& done) { return done.has_value(); });
        },
        true, std::logical_and<>());
}

// The logs of earlier epochs are not needed once what was replayed from them is in segments, on all shards.
seastar::future<> engine::remove_old_logs() {
    while (!co_await flush_all_shards()) {
        if (_work.is_closed()) {
            co_return; // the next start replays them once more
        }
        co_await seastar::sleep_abortable(flush_again_after, _stopping).handle_exception_type([](const seastar::sleep_aborted&) {
        });
    }
    const auto turn = co_await seastar::get_units(_old_logs_turn, 1);
    const auto names = std::exchange(_old_logs, {});
    for (const auto& name : names) {
        if (auto gone = co_await shard::remove_log(*_disk, name); !gone) {
            logger.warn("{}: cannot be removed, the next start will: {}", name, base::to_string(gone.error()));
        }
    }
}

} // namespace tables
