#include "tables/recovery.hh"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "base/placement.hh"
#include "shard/background.hh"
#include "shard/free_memory.hh"
#include "shard/identity.hh"
#include "tables/catalog_log.hh"
#include "tables/logger.hh"

namespace tables {
namespace {

using base::errc;
using base::fail;

void add(recovery_report& to, const recovery_report& more) {
    to.records_count += more.records_count;
    to.rows_count += more.rows_count;
    to.rows_of_dropped_tables_count += more.rows_of_dropped_tables_count;
    to.damage.insert(to.damage.end(), more.damage.begin(), more.damage.end());
}

std::string sentence(const shard::log_damage& d) {
    return fmt::format("log: {} at {} to {} at {}: sequences {} to {} were durable and cannot be read", d.begin_file, d.begin,
                       d.end_file, d.end, d.first.value, d.last.value);
}

// What was flushed was given out, also where the log that would say so is damaged or gone.
shard::high_water_marks given_out(const shard::manifest_state& state) {
    auto highest = state.marks();
    for (const auto owner : {shard::log_owner::rows, shard::log_owner::records}) {
        for (const auto& [shards_count, mark] : state.flushed_by_shards(owner)) {
            highest.raise_to({.sequence = mark.sequence});
        }
    }
    for (const auto& [shard, sequence] : state.lanes()) {
        highest.raise_to({.sequence = sequence});
    }
    return highest;
}

std::set<uint64_t> epochs_of(const auto& logs) {
    std::set<uint64_t> epochs;
    for (const auto& [id, files] : logs) {
        epochs.insert(id.first);
    }
    return epochs;
}

} // namespace

seastar::future<base::expected<recovery_report>> recovery::run() {
    auto& local = _engines.local();
    auto identity = co_await shard::open_identity(*local._disk, local._config.now());
    if (!identity) {
        co_return std::unexpected(identity.error());
    }
    _store = identity->store;
    _placement = placement_of(*identity);
    co_await _engines.invoke_on_all([placement = _placement](engine& e) { e._store->set_placement(placement); });
    if (auto opened = co_await open_catalog(); !opened) {
        co_return std::unexpected(opened.error());
    }
    if (auto opened = co_await open_manifests(); !opened) {
        co_return std::unexpected(opened.error());
    }
    if (auto loaded = co_await load_segments(); !loaded) {
        co_return std::unexpected(loaded.error());
    }
    if (auto found = co_await find_logs(); !found) {
        co_return std::unexpected(found.error());
    }
    if (auto replayed = co_await replay_logs(); !replayed) {
        co_return std::unexpected(replayed.error());
    }
    if (auto settled = co_await settle_marks(); !settled) {
        co_return std::unexpected(settled.error());
    }
    if (auto started = co_await start_logs(); !started) {
        co_return std::unexpected(started.error());
    }
    remove_old_logs_behind();
    co_return std::move(_report);
}

void recovery::remove_old_logs_behind() {
    auto& local = _engines.local();
    auto& names = local._old_logs;
    for (const auto& [id, files] : _logs) {
        std::ranges::transform(files, std::back_inserter(names), &shard::log_file_info::name);
    }
    if (!names.empty()) {
        shard::run_in_background(local._work, "removing the logs of earlier starts",
                                 [&local] { return local.remove_old_logs(); });
    }
}

// --- what is flushed -------------------------------------------------------------------------------------------------------

recovery::flushed_rows::flushed_rows(log_id log, const std::vector<manifest_mark>& marks, base::placement placement)
    : _placement(placement) {
    const auto [epoch, shard] = log;
    for (const auto& [writer, mark] : marks) {
        if (mark.epoch == epoch && writer == shard) {
            _upto = mark.sequence;
        }
        // What a shard has flushed, it had read before: all rows of its partitions in older logs.
        if (mark.epoch > epoch && writer < mark.shards_count) {
            auto& has_flushed = _by_later[mark.shards_count];
            has_flushed.resize(mark.shards_count);
            has_flushed[writer] = true;
        }
    }
}

bool recovery::flushed_rows::has(std::string_view partition_key, base::sequence sequence) const {
    return sequence <= _upto || std::ranges::any_of(_by_later, [&](const auto& later) {
               return later.second[_placement.shard_of(partition_key, later.first)];
           });
}

seastar::future<base::expected<void>> recovery::open_catalog() {
    auto& local = _engines.local();
    auto opened = co_await catalog_log::open(*local._disk);
    if (!opened) {
        co_return std::unexpected(opened.error());
    }
    _report.damage = std::move(opened->damage);
    const bool has_lost_tables = !_report.damage.empty();
    local._catalog_log = std::move(opened->log);
    const auto edits = opened->state.snapshot();
    co_await _engines.invoke_on_all([&edits, has_lost_tables](engine& e) {
        if (has_lost_tables) {
            e._store->keep_unknown();
        }
        for (const auto& edit : edits) {
            e.apply_here(edit);
        }
    });
    co_return base::expected<void>();
}

// Each shard keeps its own, and those of shards that there were when there were more of them.
seastar::future<base::expected<void>> recovery::open_manifests() {
    const auto shards = _engines.local()._config.shards_count;
    const auto known = co_await shard::manifest::list(*_engines.local()._disk);
    if (!known) {
        co_return std::unexpected(known.error());
    }
    for (unsigned shard = 0; shard < shards; ++shard) {
        std::vector<unsigned> kept{shard};
        std::ranges::copy_if(*known, std::back_inserter(kept), [&](unsigned k) { return k >= shards && k % shards == shard; });
        auto opened = co_await _engines.invoke_on(shard, [kept](engine& e) { return e._store->open_manifests(kept); });
        if (!opened) {
            co_return opened;
        }
        const auto said = co_await _engines.invoke_on(shard, [](engine& e) {
            shard::high_water_marks highest;
            std::vector<manifest_mark> flushed;
            for (const auto& m : e._store->manifests()) {
                highest.raise_to(given_out(m->state()));
                for (const auto& [shards_count, mark] : m->state().flushed_by_shards(shard::log_owner::rows)) {
                    flushed.push_back({m->shard(), mark});
                }
            }
            return std::pair(highest, flushed);
        });
        _marks.raise_to(said.first);
        _flushed.insert(_flushed.end(), said.second.begin(), said.second.end());
    }
    co_await gather_releases();
    co_return base::expected<void>();
}

// Who has rows of a file may have noted a release of them in any manifest.
seastar::future<> recovery::gather_releases() {
    const auto all = co_await _engines.map_reduce0([](engine& e) { return e._store->releases(); }, release_map(),
                                                   [](release_map sum, const release_map& more) {
                                                       for (const auto& [place, slots] : more) {
                                                           sum[place].add(slots);
                                                       }
                                                       return sum;
                                                   });
    co_await _engines.invoke_on_all([&all](engine& e) { e._store->set_releases(all); });
}

// All shards at once: a file may have rows for any of them.
seastar::future<base::expected<void>> recovery::load_segments() {
    base::expected<void> outcome;
    co_await _engines.invoke_on_all([&outcome](engine& e) -> seastar::future<> {
        if (seastar::this_shard_id() >= e._config.shards_count) {
            return seastar::make_ready_future<>();
        }
        return e.load_segments().then([&outcome](base::expected<void> loaded) {
            if (!loaded) {
                return seastar::smp::submit_to(0, [&outcome, loaded] { outcome = loaded; });
            }
            return seastar::make_ready_future<>();
        });
    });
    const auto damage =
        co_await _engines.map_reduce0([](engine& e) { return e._store->take_damage(); }, std::vector<std::string>(),
                                      [](std::vector<std::string> all, const std::vector<std::string>& more) {
                                          all.insert(all.end(), more.begin(), more.end());
                                          return all;
                                      });
    _report.damage.insert(_report.damage.end(), damage.begin(), damage.end());
    co_await raise_to_segments();
    co_await pass_over_unknown();
    co_return outcome;
}

// The id of a table that was lost must not be given to another one: that would find the rows of the first.
seastar::future<> recovery::pass_over_unknown() {
    const auto last = co_await _engines.map_reduce0([](engine& e) { return e._store->last_unknown(); }, base::table_id{0},
                                                    [](base::table_id a, base::table_id b) { return std::max(a, b); });
    co_await _engines.invoke_on_all([last](engine& e) { e.apply_here(next_id_edit{{last.value + 1}}); });
}

// Likewise what is in segments: a row that got a lower sequence than the version there would lose against it.
seastar::future<> recovery::raise_to_segments() {
    const auto highest = co_await _engines.map_reduce0(
        [](engine& e) {
            shard::high_water_marks marks;
            for (const auto& [id, t] : e._tables) {
                for (const auto& s : t->segments()) {
                    marks.raise_to({.sequence = s->facts().sequence_max, .timestamp = s->facts().timestamp_max});
                }
            }
            return marks;
        },
        shard::high_water_marks(),
        [](shard::high_water_marks sum, const shard::high_water_marks& more) {
            sum.raise_to(more);
            return sum;
        });
    _marks.raise_to(highest);
}

seastar::future<base::expected<void>> recovery::find_logs() {
    auto& disk = *_engines.local()._disk;
    auto files = co_await shard::list_logs(disk, _store);
    if (!files) {
        co_return std::unexpected(files.error());
    }
    for (auto& file : *files) {
        _marks.raise_to({.epoch = file.id.epoch});
        switch (file.is) {
        case shard::log_file_info::state::used:
        case shard::log_file_info::state::headless: _logs[{file.id.epoch, file.id.shard}].push_back(file); break;
        // Made ahead by a run that did not end in order; every such run would leave one.
        case shard::log_file_info::state::unused:
            if (auto gone = co_await shard::remove_log(disk, file.name); !gone) {
                logger.warn("{}: cannot be removed, the next start will: {}", file.name, base::to_string(gone.error()));
            }
            break;
        case shard::log_file_info::state::foreign:
            _report.damage.push_back(fmt::format("log: {} belongs to another store and is left alone", file.name));
        }
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> recovery::replay_logs() {
    co_await _engines.invoke_on_all([highest = _marks.sequence](engine& e) { e._flusher->begin_replay(highest); });
    bool has_room = true;
    try {
        for (const auto epoch : epochs_of(_logs)) {
            co_await replay_epoch(epoch);
        }
    } catch (const std::bad_alloc&) {
        has_room = false;
    }
    if (!has_room) {
        co_return co_await explain_no_room();
    }
    const auto highest = co_await _engines.map_reduce0([](engine& e) { return e._flusher->replayed_upto(); }, base::sequence(),
                                                       [](base::sequence a, base::sequence b) { return std::max(a, b); });
    _marks.raise_to({.sequence = highest});
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> recovery::explain_no_room() {
    const auto why = co_await _engines.map_reduce0(
        [](engine& e) { return e._flusher->failure() ? base::to_string(*e._flusher->failure()) : std::string(); }, std::string(),
        [](std::string a, const std::string& b) { return a.empty() ? b : a; });
    co_return why.empty()
        ? fail(errc::busy, "its logs cannot be read with so little memory; start it with more --memory. Nothing is lost")
        : fail(errc::busy, "its logs hold more than fits into this memory, and it cannot be put into files: " + why +
                               ". Start it with as much --memory as it had before, or help with that. Nothing is lost");
}

// Rows over their budget go to segments, and if memory is short all the same, then all there is. What cannot be written, a disk
// may be full, stays as long as there is memory for it; running out of that in the middle of something else would not end as
// well.
seastar::future<> recovery::make_room(engine& e, size_t bytes) {
    if (!e._flusher->is_replay_due(bytes) && !shard::is_memory_short(bytes)) {
        co_return;
    }
    const auto turn = co_await seastar::get_units(e._replay_turn, 1);
    if (e._flusher->is_replay_due(bytes)) {
        co_await e._flusher->flush_replayed().discard_result(); // the flusher says why not
    }
    if (!shard::is_memory_short(bytes)) {
        co_return;
    }
    co_await e._flusher->flush_replayed().discard_result();
    if (e._log_user != nullptr) {
        co_await e._log_user->flush().discard_result();
    }
    if (shard::is_memory_short(bytes)) {
        throw std::bad_alloc();
    }
}

// The logs of one epoch share no partition, so they are read side by side; those of another epoch may, so they wait.
seastar::future<> recovery::replay_epoch(uint64_t epoch) {
    std::vector<log_id> logs;
    for (const auto& [id, files] : _logs) {
        if (id.first == epoch) {
            logs.push_back(id);
        }
    }
    return seastar::do_with(std::move(logs), [this](auto& ids) {
        return seastar::parallel_for_each(ids, [this](log_id id) { return replay_log(id); });
    });
}

seastar::future<> recovery::replay_log(log_id id) {
    const auto reader = id.second % _engines.local()._config.shards_count;
    auto summary =
        co_await _engines.invoke_on(reader, [id, files = _logs.at(id), flushed = flushed_rows(id, _flushed, _placement)](
                                                engine& e) { return read_on_this_shard(e, id, files, flushed); });
    add(_report, summary.report);
    _marks.raise_to(summary.marks);
}

seastar::future<recovery::log_summary>
recovery::read_on_this_shard(engine& e, log_id log, std::vector<shard::log_file_info> files, flushed_rows flushed) {
    log_summary summary;
    const auto read = co_await shard::read_log(*e._disk, std::move(files), [&](const shard::wal_record& record) {
        return replay_record(e, log, record, flushed, summary);
    });
    for (const auto& damage : read.damages) {
        summary.report.damage.push_back(sentence(damage));
    }
    summary.marks.sequence = base::sequence{std::max<uint64_t>(read.next.value, 1) - 1};
    co_return summary;
}

seastar::future<> recovery::replay_record(engine& e, log_id log, const shard::wal_record& record, const flushed_rows& flushed,
                                          log_summary& summary) {
    co_await make_room(e, record.payload.size());
    if (record.kind != rows_record) {
        if (e._log_user != nullptr && e._log_user->kind() == record.kind) {
            co_await e._log_user->replay(log.first, log.second, record);
        }
        co_return;
    }
    ++summary.report.records_count;
    const auto rows = row_batch_reader::open(record.payload);
    if (!rows) {
        summary.report.damage.push_back(fmt::format("log: sequence {}: {}", record.first.value, base::to_string(rows.error())));
        co_return;
    }
    summary.marks.raise_to({.timestamp = rows->timestamp()});
    if (flushed.has_all({record.first.value + rows->rows_count() - 1})) {
        co_return;
    }
    if (e._catalog.find(rows->table()) == nullptr) {
        summary.report.rows_of_dropped_tables_count += rows->rows_count();
        co_return;
    }
    summary.report.rows_count += rows->rows_count();
    std::set<unsigned> owners;
    for (const auto& row : *rows) {
        owners.insert(e.owner_of(row.partition_key));
    }
    for (const auto owner : owners) {
        if (owner == seastar::this_shard_id()) {
            co_await make_room(e, record.payload.size());
            insert_owned_rows(e, record.payload, record.first, flushed);
        } else {
            co_await e.container().invoke_on(
                owner, [batch = std::string(record.payload), first = record.first, flushed](engine& other) mutable {
                    return insert_of_another_shard(other, std::move(batch), first, std::move(flushed));
                });
        }
    }
}

seastar::future<> recovery::insert_of_another_shard(engine& e, std::string batch, base::sequence first, flushed_rows flushed) {
    co_await make_room(e, batch.size());
    insert_owned_rows(e, batch, first, flushed);
}

void recovery::insert_owned_rows(engine& e, std::string_view batch, base::sequence first, const flushed_rows& flushed) {
    const auto rows = row_batch_reader::open(batch);
    const auto target = e.find_table(rows->table());
    const auto before = target->rows().bytes();
    uint64_t sequence = first.value;
    for (const auto& row : *rows) {
        if (e.owner_of(row.partition_key) == seastar::this_shard_id() && !flushed.has(row.partition_key, {sequence})) {
            memtable::write write{row.partition_key, row.row_key, {sequence}, row.kind, row.timestamp, {}, row.row.bytes()};
            if (row.kind != row_kind::remove) {
                write.shape = target->rows().intern(row.row.of_shape());
            }
            target->rows().insert(write);
        }
        ++sequence;
    }
    e._memtable_bytes += target->rows().bytes() - before;
}

// On all shards before a log starts on any.
seastar::future<base::expected<void>> recovery::settle_marks() {
    for (unsigned shard = 0; shard < _engines.local()._config.shards_count; ++shard) {
        auto settled = co_await _engines.invoke_on(shard, [](engine& e) {
            return e._log_user != nullptr ? e._log_user->settle(e._store->own_manifest())
                                          : seastar::make_ready_future<base::expected<void>>();
        });
        if (!settled) {
            co_return settled;
        }
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> recovery::start_logs() {
    std::optional<base::error> error;
    const auto shards = _engines.local()._config.shards_count;
    for (unsigned shard = 0; shard < shards && !error; ++shard) {
        auto started = co_await _engines.invoke_on(shard, [this](engine& e) {
            auto config = e._config.log;
            config.store = _store;
            config.epoch = _marks.epoch + 1;
            config.shard = seastar::this_shard_id();
            // One is left out, so that what is flushed first is above all that was, even before anything is written.
            config.next = base::sequence{_marks.sequence.value + 2};
            return e.start_log(config, _marks.timestamp);
        });
        if (!started) {
            error = started.error();
        }
    }
    co_return error ? base::expected<void>(std::unexpected(*error)) : base::expected<void>();
}

} // namespace tables
