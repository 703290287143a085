// The engine's tables: every change goes through shard 0, one at a time.

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/util/defer.hh>

#include "shard/disk_error.hh"
#include "tables/catalog_log.hh"
#include "tables/core/dropped_periods.hh"
#include "tables/core/limits.hh"
#include "tables/core/segment/segment_name.hh"
#include "tables/engine.hh"
#include "tables/logger.hh"

namespace tables {

using base::errc;
using base::fail;

seastar::future<base::expected<table_info>> engine::create_table(table_spec spec) {
    if (auto good = check_table_name(spec.name); !good) {
        co_return std::unexpected(good.error());
    }
    if (seastar::this_shard_id() != 0) {
        co_return co_await container().invoke_on(0, &engine::create_table, std::move(spec));
    }
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    auto turn = co_await seastar::get_units(_catalog_turn, 1);
    if (_catalog.find(spec.account, spec.name) != nullptr) {
        co_return fail(errc::table_exists, spec.name);
    }
    table_info info{_catalog.next_id(), _config.now(), std::move(spec.account), std::move(spec.name), std::move(spec.family)};
    auto changed = co_await change_catalog(create_table_edit{info});
    if (!changed) {
        co_return std::unexpected(changed.error());
    }
    co_return info;
}

seastar::future<base::expected<void>> engine::drop_table(std::string account, std::string name) {
    if (seastar::this_shard_id() != 0) {
        co_return co_await container().invoke_on(0, &engine::drop_table, std::move(account), std::move(name));
    }
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    auto turn = co_await seastar::get_units(_catalog_turn, 1);
    const auto* info = _catalog.find(account, name);
    if (info == nullptr) {
        co_return fail(errc::table_not_found, name);
    }
    const auto id = info->id;
    if (auto until = dropped_edit(_catalog, *info, _config.now())) {
        // A crash behind this leaves a table that is there and takes points. If it cannot be noted the drop comes first: it may
        // be what makes room.
        if (auto noted = co_await change_catalog(std::move(*until)); !noted) {
            logger.warn("late points may bring table {} back: {}", name, base::to_string(noted.error()));
        }
    }
    co_return co_await change_catalog(drop_table_edit{id});
}

seastar::future<base::expected<void>> engine::set_attribute(attribute_edit edit, std::optional<std::string> was) {
    if (seastar::this_shard_id() != 0) {
        co_return co_await container().invoke_on(0, &engine::set_attribute, std::move(edit), std::move(was));
    }
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    auto turn = co_await seastar::get_units(_catalog_turn, 1);
    if (edit.id.value != 0 && _catalog.find(edit.id) == nullptr) {
        co_return fail(errc::table_not_found);
    }
    if (was && _catalog.attribute(edit.id, edit.account, edit.key) != *was) {
        co_return fail(errc::condition_not_met, edit.key);
    }
    co_return co_await change_catalog(std::move(edit));
}

// Holds the turn. The edit is durable first and known to all shards second, and only then answered: a crash in between finds it
// in the catalog, and a write that reaches a shard before the news of a drop is a write before the drop.
seastar::future<base::expected<void>> engine::change_catalog(catalog_edit edit) {
    if (!_catalog_log) {
        co_return fail(errc::busy, "the store is still being opened");
    }
    if (auto fits = _catalog.check(edit).and_then([&] { return _catalog.check_room(edit); }); !fits) {
        co_return fits;
    }
    if (auto durable = co_await _catalog_log->append(edit, _catalog); !durable) {
        co_return durable;
    }
    co_await apply_on_all(std::move(edit));
    co_await _catalog_log->shorten_if_long(_catalog);
    co_return base::expected<void>();
}

seastar::future<> engine::apply_on_all(catalog_edit edit) {
    co_await container().invoke_on_all([&edit](engine& e) { e.apply_here(edit); });
}

void engine::apply_here(const catalog_edit& edit) {
    if (const auto* drop = std::get_if<drop_table_edit>(&edit)) {
        drop_here(drop->id);
    }
    [[maybe_unused]] const auto applied = _catalog.apply(edit);
}

// Takes the same time whatever the table holds: memory and files are given back behind its back, by the last who reads them.
void engine::drop_here(base::table_id id) {
    if (auto found = _tables.find(id); found != _tables.end()) {
        const auto dropped = std::move(found->second);
        _tables.erase(found);
        dropped->mark_dropped();
        _memtable_bytes -= dropped->memory_bytes();
        _flusher->forget(*dropped);
        auto memory = dropped->take_memory();
        for (auto& m : memory) {
            retire(std::move(m));
        }
    }
    _store->forget(id);
}

// --- for compaction ---

std::vector<engine::table_segments> engine::segments_here() const {
    std::vector<table_segments> all;
    for (const auto& [id, t] : _tables) {
        if (t->segments().size() < 2) {
            continue;
        }
        auto& facts = all.emplace_back(table_segments{.table = id, .generation = t->generation()});
        for (size_t i = 0; i < t->segments().size(); ++i) {
            const auto& s = t->segments()[i];
            facts.newest_first.push_back({s->bytes(), t->can_merge_from(i), s->facts().timestamp_min});
        }
    }
    return all;
}

std::vector<engine::table_usage> engine::usage_here() const {
    std::vector<table_usage> all;
    for (const auto& [id, t] : _tables) {
        auto& usage =
            all.emplace_back(table_usage{.table = id, .memory_bytes = t->memory_bytes(), .segments_count = t->segments().size()});
        usage.rows_count = t->rows().facts().rows_count + (t->frozen() ? t->frozen()->facts().rows_count : 0);
        for (const auto& s : t->segments()) {
            usage.segment_bytes += s->bytes();
            const auto& facts = s->facts();
            usage.rows_count += facts.rows_count;
            usage.segment_rows_count += facts.rows_count;
            if (facts.oldest && facts.newest) {
                usage.oldest = std::min(usage.oldest.value_or(*facts.oldest), *facts.oldest);
                usage.newest = std::max(usage.newest.value_or(*facts.newest), *facts.newest);
            }
        }
    }
    return all;
}

engine::disk_usage engine::disk_usage_here() const {
    const auto log_files = log_counters().files_count;
    return {log_files, log_files * _config.log.file_bytes, _store->files_count(), _store->files_bytes()};
}

seastar::future<base::expected<merge_outcome>> engine::merge_here(base::table_id id, uint64_t generation, size_t first,
                                                                  size_t count, std::function<bool()> must_stop) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    const auto found = _tables.find(id);
    if (found == _tables.end() || found->second->generation() != generation || found->second->is_merging()) {
        co_return fail(errc::busy, "the table has changed, or is being merged");
    }
    const auto t = found->second;
    t->set_merging(true);
    const auto done = seastar::defer([t]() noexcept { t->set_merging(false); });
    uint64_t bytes = 0;
    for (const auto& s : std::span(t->segments()).subspan(first, count)) {
        bytes += s->bytes();
    }
    if (auto has_room = co_await check_room_to_merge(bytes); !has_room) {
        co_return std::unexpected(has_room.error());
    }
    if (t->is_dropped() || t->generation() != generation) {
        co_return fail(errc::busy, "the table has changed");
    }
    const merge_limits limits{_config.flush.block_rows_max, _config.flush.block_raw_bytes_max};
    auto merged = co_await merge_segments(*_store, t, first, count, limits,
                                          [this, must_stop = std::move(must_stop)]() -> base::expected<void> {
                                              if (_work.is_closed() || must_stop()) {
                                                  return fail(errc::shutting_down);
                                              }
                                              return _guard.is_low() ? std::unexpected(_guard.why()) : base::expected<void>();
                                          });
    if (merged) {
        _counters.fields_dropped_total += merged->fields_dropped;
        co_await tell_keepers(merged->released);
    }
    co_return merged;
}

// Old and new are there together until the edit is written, and flushes must not want for room because of it.
seastar::future<base::expected<void>> engine::check_room_to_merge(uint64_t bytes) {
    uint64_t free_bytes = 0;
    try {
        free_bytes = (co_await _disk->space()).free_bytes;
    } catch (const std::exception& e) {
        co_return std::unexpected(shard::error_of(e, "looking at the free space"));
    }
    const auto needed = bytes + _config.disk_reserve_bytes;
    if (free_bytes < needed) {
        co_return fail(errc::out_of_space, fmt::format("{} MB are free, {} MB are needed", free_bytes >> 20, needed >> 20));
    }
    co_return base::expected<void>();
}

// A file is listed by the manifest of the shard that wrote it. Who is stopping will see at the next start.
seastar::future<> engine::tell_keepers(std::vector<released_segment> released) {
    for (const auto& r : released) {
        const auto writer = segment_name::parse(r.file)->shard;
        const auto keeper = writer < _config.shards_count ? writer : writer % _config.shards_count;
        co_await container().invoke_on(keeper, [&r](engine& e) {
            if (const auto hold = e._work.try_hold()) {
                e._store->take_back(r);
            }
        });
    }
}

} // namespace tables
