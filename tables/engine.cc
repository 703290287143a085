#include "tables/engine.hh"

#include <array>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "base/placement.hh"
#include "shard/background.hh"
#include "tables/catalog_log.hh"
#include "tables/core/limits.hh"
#include "tables/recovery.hh"
#include "tables/shard_scan.hh"
#include "tables/table.hh"

namespace tables {
namespace {

using base::errc;
using base::fail;

std::unexpected<transaction_failure> fail_transaction(base::error e) {
    return std::unexpected(transaction_failure{std::move(e), 0});
}

base::error no_table(base::table_id id) {
    return {errc::table_not_found, fmt::format("table {} is not there (any more)", id.value)};
}

} // namespace

engine::engine(engine_config config) : _config(std::move(config)), _disk(_config.make_disk()) {
    register_metrics();
}

engine::~engine() = default;

seastar::future<base::expected<recovery_report>> engine::open() {
    auto hold = _work.hold();
    co_return co_await recovery(container()).run();
}

seastar::future<> engine::stop() {
    co_await _work.close();
    if (_log) {
        co_await _log->stop();
    }
    if (_manifest) {
        co_await _manifest->close();
    }
    if (_catalog_log) {
        co_await _catalog_log->stop();
    }
}

unsigned engine::owner_of(std::string_view partition_key) const {
    return base::shard_of(partition_key, _config.shards_count);
}

bool engine::can_write() const {
    return _log && !_log->has_failed();
}

shard::wal_counters engine::log_counters() const {
    return _log ? _log->counters() : shard::wal_counters();
}

// --- writes ---

seastar::future<base::expected<shard::wal::reservation>> engine::admit(size_t bytes) {
    if (!_log) {
        co_return fail(errc::busy, "the store is still being opened");
    }
    if (_memtable_bytes + bytes > _config.memtable_bytes_max) {
        ++_counters.refused_busy_total;
        co_return fail(errc::busy, "the memory for rows not yet written to segments is used up; try again later");
    }
    co_return co_await _log->reserve(bytes);
}

table* engine::find_table(base::table_id id) {
    if (auto found = _tables.find(id); found != _tables.end()) {
        return found->second.get();
    }
    if (_catalog.find(id) == nullptr) {
        return nullptr;
    }
    const auto& made = _tables.emplace(id, seastar::make_lw_shared<table>(id)).first->second;
    _memtable_bytes += made->rows().bytes();
    return made.get();
}

base::sequence engine::append(shard::wal::reservation room, std::string& batch, uint32_t rows_count, base::tick timestamp) {
    set_timestamp(batch, timestamp);
    const auto first = _log->next();
    const std::array<std::string_view, 1> pieces{batch};
    _log->append(std::move(room), first, rows_count, rows_record, pieces);
    return first;
}

void engine::insert(table& t, const row_batch_reader& rows, base::sequence first) {
    const auto before = t.rows().bytes();
    t.rows().insert(rows, first);
    ++_counters.commits_total;
    _counters.rows_written_total += rows.rows_count();
    _memtable_bytes += t.rows().bytes() - before;
}

base::sequence engine::visible() const {
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

void engine::retire(table_ptr t) {
    if (t && t.use_count() == 1 && t->is_dropped()) {
        shard::run_in_background(_work, "freeing a dropped table", [t = std::move(t)]() mutable { return free_in_steps(std::move(t)); });
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
    const auto owner = owner_of(rows->begin()->partition_key);
    if (owner == seastar::this_shard_id()) {
        co_return co_await commit_here(std::move(t));
    }
    co_return co_await container().invoke_on(owner, [t = std::move(t)](engine& e) mutable { return e.commit_here(std::move(t)); });
}

seastar::future<commit_outcome> engine::commit_here(transaction t) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail_transaction({errc::shutting_down, "the server is stopping"});
    }
    const auto rows = *row_batch_reader::open(t.rows);
    // A merge writes what is there as well: first the room it is likely to need, then, should it need more, that.
    for (size_t bytes = t.rows.size();;) {
        auto room = co_await admit(bytes);
        if (!room) {
            co_return fail_transaction(room.error());
        }
        // From here to insert() nothing suspends: what the conditions see is what the write follows.
        table* target = find_table(rows.table());
        if (target == nullptr) {
            co_return fail_transaction(no_table(rows.table()));
        }
        entity_finder finder(*target, visible());
        auto merged = decide(rows, t.operations, [&finder](auto pk, auto rk) { return finder.find(pk, rk); });
        if (!merged) {
            // The refusal tells what is there, so that must be durable too.
            if (auto durable = co_await wait_readable(finder.newest_seen()); !durable) {
                co_return fail_transaction(durable.error());
            }
            co_return std::unexpected(merged.error());
        }
        if (*merged && (*merged)->size() > bytes) {
            bytes = (*merged)->size();
            continue;
        }
        std::string& batch = *merged ? **merged : t.rows;
        const auto timestamp = _clock.next(_config.now());
        const auto count = rows.rows_count();
        const auto first = append(std::move(*room), batch, count, timestamp);
        insert(*target, *merged ? *row_batch_reader::open(batch) : rows, first);
        if (auto durable = co_await _log->wait_durable({first.value + count - 1}); !durable) {
            co_return fail_transaction(durable.error());
        }
        co_return timestamp;
    }
}

seastar::future<base::expected<void>> engine::upsert(unsigned owner, std::string batch) {
    if (owner == seastar::this_shard_id()) {
        return upsert_here(std::move(batch));
    }
    return container().invoke_on(owner, [batch = std::move(batch)](engine& e) mutable { return e.upsert_here(std::move(batch)); });
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
    if (!room) {
        co_return std::unexpected(room.error());
    }
    table* target = find_table(rows->table());
    if (target == nullptr) {
        co_return std::unexpected(no_table(rows->table()));
    }
    const auto count = rows->rows_count();
    const auto first = append(std::move(*room), batch, count, _clock.next(_config.now()));
    insert(*target, *rows, first);
    co_return co_await _log->wait_durable({first.value + count - 1});
}

// --- reads ---

seastar::future<base::expected<owned_rows>> engine::get(base::table_id id, std::string partition_key, std::string row_key) {
    const auto owner = owner_of(partition_key);
    auto batch = owner == seastar::this_shard_id()
                     ? co_await get_here(id, std::move(partition_key), std::move(row_key))
                     : co_await container().invoke_on(owner, &engine::get_here, id, std::move(partition_key), std::move(row_key));
    if (!batch) {
        co_return std::unexpected(batch.error());
    }
    co_return owned_rows::open(std::move(*batch));
}

seastar::future<base::expected<std::string>> engine::get_here(base::table_id id, std::string partition_key, std::string row_key) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    ++_counters.gets_total;
    const table* source = find_table(id);
    if (source == nullptr) {
        co_return std::unexpected(no_table(id));
    }
    std::string batch;
    entity_finder finder(*source, visible());
    if (const auto found = finder.find(partition_key, row_key)) {
        row_batch_builder one(id);
        one.add_row(row_kind::put, partition_key, row_key, found->row, found->timestamp);
        batch = one.take();
    }
    if (auto durable = co_await wait_readable(finder.newest_seen()); !durable) {
        co_return std::unexpected(durable.error());
    }
    if (batch.empty()) {
        co_return fail(errc::entity_not_found);
    }
    co_return batch;
}

seastar::future<base::expected<scan_page>> engine::scan(scan_request request) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    ++_counters.pages_total;
    co_return co_await read_page(container(), std::move(request), _config.shards_count);
}

// --- opening ---

seastar::future<base::expected<engine::manifest_facts>> engine::open_manifest() {
    auto opened = co_await shard::manifest::open(*_disk, seastar::this_shard_id());
    if (!opened) {
        co_return std::unexpected(opened.error());
    }
    _manifest = std::move(opened->log);
    co_return manifest_facts{opened->marks, std::move(opened->damage)};
}

// The marks are durable before the first write that goes above them. A full disk must not keep a store from opening: the marks
// of the last start and the logs say the same.
seastar::future<base::expected<void>> engine::start_log(shard::wal_config config, base::tick timestamp) {
    auto marked = co_await _manifest->set({config.epoch, base::sequence{config.next.value - 1}, timestamp});
    if (!marked && marked.error().code != errc::out_of_space) {
        co_return marked;
    }
    _clock.advance_past(timestamp);
    auto log = std::make_unique<shard::wal>(*_disk, config);
    auto started = co_await log->start();
    if (started) {
        _log = std::move(log);
    } else {
        co_await log->stop();
    }
    co_return started;
}

} // namespace tables
