#include "tables/engine.hh"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>

#include "base/placement.hh"
#include "base/planted.hh"
#include "shard/background.hh"
#include "shard/free_memory.hh"
#include "tables/catalog_log.hh"
#include "tables/entity_finder.hh"
#include "tables/one_by_one.hh"
#include "tables/recovery.hh"

namespace tables {
namespace {

using base::errc;
using base::fail;

// A round of flushing makes room in less; others may have been faster to take it.
constexpr auto room_patience = std::chrono::milliseconds(500);
constexpr unsigned room_waits_max = 3;

// What an entity takes that a merge rests on: the decoded block that it is in.
constexpr size_t stored_row_bytes = 1u << 20;

// As much as the cache: the blocks are often in both.
size_t stored_bytes_max(const engine_config& config) {
    return std::max<size_t>(config.cache_bytes_max, stored_row_bytes);
}

std::unexpected<transaction_failure> fail_transaction(base::error e) {
    return std::unexpected(transaction_failure{std::move(e), 0});
}

base::error no_table(base::table_id id) {
    return {errc::table_not_found, fmt::format("table {} is not there (any more)", id.value)};
}

base::error no_place(refused_write why) {
    switch (why) {
    case refused_write::shard_is_full: return {errc::busy, "too many writes of this shard are under way; try again later"};
    case refused_write::partition_is_full:
        return {errc::busy, "too many writes of this partition are under way; try again later"};
    case refused_write::partition_is_over_its_rate:
        return {errc::busy, "this partition takes no more entities a second than partition-rate allows; try again later"};
    }
    std::unreachable();
}

} // namespace

engine::engine(engine_config config)
    : _config(std::move(config)), _disk(_config.make_disk()),
      _store(std::make_unique<segment_store>(*_disk, _config.cache_bytes_max)),
      _flusher(std::make_unique<flusher>(*this, _config.flush)), _guard(*_disk, _config.disk_reserve_bytes),
      _admission(_config.admission), _stored_memory(stored_bytes_max(_config)) {
    register_metrics();
}

engine::~engine() = default;

seastar::future<base::expected<recovery_report>> engine::open() {
    auto hold = _work.hold();
    co_return co_await recovery(container()).run();
}

seastar::future<> engine::stop() {
    auto drained = _work.close(); // nobody new
    _stopping.request_abort();
    co_await _guard.stop();
    co_await _flusher->stop(); // those who wait for memory or a flush are told
    co_await std::move(drained);
    if (_log_user != nullptr) {
        co_await _log_user->stop();
    }
    if (_log) {
        co_await _log->stop();
    }
    _tables.clear();
    co_await _store->stop();
    if (_catalog_log) {
        co_await _catalog_log->stop();
    }
}

unsigned engine::owner_of(std::string_view partition_key) const {
    return placement().shard_of(partition_key, _config.shards_count);
}

bool engine::can_write() const {
    return _log && !_log->has_failed();
}

shard::wal_counters engine::log_counters() const {
    return _log ? _log->counters() : shard::wal_counters();
}

seastar::future<base::expected<void>> engine::flush() {
    auto hold = _work.try_hold();
    if (!hold || !_log) {
        co_return fail(errc::shutting_down);
    }
    co_return co_await _flusher->flush();
}

void engine::release_log() {
    const bool has_rows = std::ranges::any_of(_tables, [](const auto& t) { return t.second->has_rows_in_memory(); });
    const auto rows_needed = has_rows ? base::sequence{_rows_in_segments.value + 1} : _log->next();
    const auto needed = _log_user != nullptr ? std::min(rows_needed, _log_user->needed_from()) : rows_needed;
    _log->release(base::sequence{needed.value - 1});
}

// --- writes ---

seastar::future<base::expected<shard::wal::reservation>> engine::admit(size_t bytes) {
    if (!_log) {
        co_return fail(errc::busy, "the store is still being opened");
    }
    if (_guard.is_low()) {
        co_return std::unexpected(_guard.why());
    }
    for (unsigned waits = 0; _memtable_bytes + bytes > _config.memtable_bytes_max; ++waits) {
        if (waits == room_waits_max || !co_await _flusher->wait_for_room(room_patience)) {
            ++_counters.refused_busy_total;
            co_return _flusher->failure()
                ? std::unexpected(*_flusher->failure())
                : fail(errc::busy, "the memory for rows not yet written to segments is used up; try again later");
        }
    }
    auto room = co_await _log->reserve(bytes);
    // Last of all, right before the write: once that is in the log it must find room in memory too.
    if (room && shard::is_memory_short(bytes)) {
        // What only saves reading again goes first; then what is in memory because it is not in files yet.
        _store->cache().shrink();
        _flusher->wake();
        if (shard::is_memory_short(bytes)) {
            ++_counters.refused_busy_total;
            co_return fail(errc::busy, "memory is short; try again later");
        }
    }
    co_return room;
}

table_ptr engine::find_table(base::table_id id) {
    if (auto found = _tables.find(id); found != _tables.end()) {
        return found->second;
    }
    if (_catalog.find(id) == nullptr) {
        return nullptr;
    }
    const auto& made = _tables.emplace(id, seastar::make_lw_shared<table>(id)).first->second;
    _memtable_bytes += made->rows().bytes();
    return made;
}

engine::written engine::write(table& t, shard::wal::reservation room, std::string& batch, const row_batch_reader& rows,
                              base::tick timestamp) {
    set_timestamp(batch, timestamp);
    const auto first = _log->next();
    const std::array<std::string_view, 1> pieces{batch};
    _log->append(std::move(room), first, rows.rows_count(), rows_record, pieces);
    const auto before = t.rows().bytes();
    t.insert(rows, first);
    ++_counters.commits_total;
    _counters.rows_written_total += rows.rows_count();
    _memtable_bytes += t.rows().bytes() - before;
    _flusher->wake_if_due();
    const base::sequence last{first.value + rows.rows_count() - 1};
    if (_listener != nullptr) {
        _listener->rows_written(t.id(), rows, last);
    }
    return {last, timestamp};
}

base::sequence engine::visible() {
    _clock.seen();
    if (!_log) {
        return {};
    }
    // After a failed flush only what was durable may be seen: the rest is not known to survive.
    return _log->has_failed() ? _log->durable() : base::sequence{_log->next().value - 1};
}

seastar::future<base::expected<void>> engine::wait_readable(base::sequence seen) {
    if (!_log || seen <= _log->durable()) {
        return seastar::make_ready_future<base::expected<void>>();
    }
    return _log->wait_durable(seen);
}

void engine::retire(memtable_ptr m) {
    if (m && m.use_count() == 1) {
        shard::run_in_background(_work, "freeing a memtable",
                                 [m = std::move(m)]() mutable { return free_in_steps(std::move(m)); });
    }
}

seastar::future<commit_outcome> engine::commit(transaction t) {
    auto rows = row_batch_reader::open(t.rows);
    if (!rows) {
        co_return fail_transaction(rows.error());
    }
    if (auto good = check_transaction(*rows, t.operations); !good) {
        co_return std::unexpected(good.error());
    }
    if constexpr (base::has_planted_bugs) {
        if (base::planted(base::bug::split_transaction) && t.operations.size() > 1) {
            co_return co_await commit_one_by_one(*this, std::move(t));
        }
    }
    const auto owner = owner_of(rows->begin()->partition_key);
    if (owner == seastar::this_shard_id()) {
        co_return co_await commit_here(std::move(t));
    }
    co_return co_await container().invoke_on(owner,
                                             [t = std::move(t)](engine& e) mutable { return e.commit_here(std::move(t)); });
}

seastar::future<commit_outcome> engine::commit_here(transaction t) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail_transaction({errc::shutting_down, "the server is stopping"});
    }
    const auto rows = *row_batch_reader::open(t.rows);
    const auto partition = base::stable_hash(rows.begin()->partition_key) ^ rows.table().value;
    const auto place = _admission.enter({partition, rows.rows_count(), t.rows.size()}, std::chrono::steady_clock::now());
    if (!place) {
        ++_counters.refused_busy_total;
        co_return fail_transaction(no_place(place.error()));
    }
    auto memory = co_await seastar::get_units(_stored_memory, stored_bytes_of(t.operations));
    stored_rows stored;
    // A merge writes what is there as well: first the room it is likely to need, then, should it need more, that.
    for (size_t bytes = t.rows.size();;) {
        if (auto loaded = co_await load_stored(rows, t.operations, stored); !loaded) {
            co_return fail_transaction(loaded.error());
        }
        auto room = co_await admit(bytes);
        if (!room && base::planted(base::bug::accept_without_room)) {
            co_return _clock.next(_config.now());
        }
        if (!room) {
            co_return fail_transaction(room.error());
        }
        // From here to write() nothing suspends: what the conditions see is what the write follows.
        const auto target = find_table(rows.table());
        if (!target) {
            co_return fail_transaction(no_table(rows.table()));
        }
        if (!stored.is_current(*target)) {
            continue;
        }
        entity_finder finder(*target, stored, visible());
        auto merged = decide(rows, t.operations, [&finder](auto pk, auto rk) { return finder.find(pk, rk); });
        if (!merged) {
            co_return co_await refuse(merged.error(), finder.newest_seen());
        }
        if (*merged && (*merged)->size() > bytes) {
            bytes = (*merged)->size();
            continue;
        }
        if constexpr (base::has_planted_bugs) {
            if (base::planted(base::bug::condition_before_suspension)) {
                co_await seastar::sleep(std::chrono::milliseconds(1));
            }
        }
        auto& batch = *merged ? **merged : t.rows;
        const auto [last, timestamp] =
            write(*target, std::move(*room), batch, *merged ? *row_batch_reader::open(batch) : rows, _clock.next(_config.now()));
        stored = {};
        memory.return_all();
        if (auto durable = co_await _log->wait_durable(last); !durable) {
            co_return fail_transaction(durable.error());
        }
        co_return timestamp;
    }
}

// All at once, so that no two wait for each other; the largest transactions one by one.
size_t engine::stored_bytes_of(const std::vector<operation>& operations) const {
    const auto merges_count = static_cast<size_t>(std::ranges::count_if(operations, needs_current_row));
    return std::min(merges_count * stored_row_bytes, stored_bytes_max(_config));
}

// It tells what is there, so that must be durable too.
seastar::future<commit_outcome> engine::refuse(transaction_failure why, base::sequence seen) {
    if (auto durable = co_await wait_readable(seen); !durable) {
        co_return fail_transaction(durable.error());
    }
    co_return std::unexpected(std::move(why));
}

// What segments have of the rows that a transaction depends on.
seastar::future<base::expected<void>> engine::load_stored(const row_batch_reader& rows, const std::vector<operation>& operations,
                                                          stored_rows& stored) {
    const auto target = find_table(rows.table());
    if (!target) {
        return seastar::make_ready_future<base::expected<void>>(std::unexpected(no_table(rows.table())));
    }
    std::vector<wanted_row> wanted;
    size_t index = 0;
    for (const auto& row : rows) {
        const auto& op = operations[index++];
        if (needs_current(op)) {
            wanted.push_back({std::string(row.row_key), needs_current_row(op)});
        }
    }
    return stored.load(target, visible(), std::string(rows.begin()->partition_key), std::move(wanted));
}

seastar::future<base::expected<void>> engine::upsert(unsigned owner, std::string batch) {
    if (owner == seastar::this_shard_id()) {
        return upsert_here(std::move(batch));
    }
    return container().invoke_on(owner,
                                 [batch = std::move(batch)](engine& e) mutable { return e.upsert_here(std::move(batch)); });
}

seastar::future<base::expected<void>> engine::upsert_here(std::string batch) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    auto rows = row_batch_reader::open(batch);
    if (!rows || rows->rows_count() == 0) {
        co_return rows ? base::expected<void>() : std::unexpected(rows.error());
    }
    auto room = co_await admit(batch.size());
    if (!room && base::planted(base::bug::accept_without_room)) {
        co_return base::expected<void>();
    }
    if (!room) {
        co_return std::unexpected(room.error());
    }
    const auto target = find_table(rows->table());
    if (!target) {
        co_return std::unexpected(no_table(rows->table()));
    }
    const auto now = _config.now();
    // A live tail sees every write.
    const auto timestamp = _listener != nullptr ? _clock.next(now) : _clock.next_shared(now);
    const auto written = write(*target, std::move(*room), batch, *rows, timestamp);
    co_return co_await _log->wait_durable(written.last);
}

} // namespace tables
