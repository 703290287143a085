#include "tables/engine.hh"

#include <array>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>

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

void engine::register_metrics() {
    namespace sm = seastar::metrics;
    _metrics.add_group("tables", {
        sm::make_counter("commits_total", _counters.commits_total, sm::description("Transactions and blind batches committed")),
        sm::make_counter("rows_written_total", _counters.rows_written_total, sm::description("Rows of those commits")),
        sm::make_counter("refused_busy_total", _counters.refused_busy_total, sm::description("Writes refused because memory was used up")),
        sm::make_counter("gets_total", _counters.gets_total, sm::description("Entities looked up")),
        sm::make_counter("pages_total", _counters.pages_total, sm::description("Pages of scans")),
        sm::make_gauge("memtable_bytes", [this] { return _memtable_bytes; }, sm::description("Rows not yet in segments")),
        sm::make_gauge("tables_count", [this] { return _catalog.tables_count(); }, sm::description("Tables in the catalog")),
    });
    _metrics.add_group("shard", {
        sm::make_counter("log_records_total", [this] { return log_counters().records_count; }, sm::description("Records appended to the log")),
        sm::make_counter("log_written_bytes_total", [this] { return log_counters().written_bytes; }, sm::description("Bytes of the log, padding included")),
        sm::make_counter("log_flushes_total", [this] { return log_counters().flushes_count; }, sm::description("Flushes of the log")),
        sm::make_counter("log_flush_us_total", [this] { return log_counters().flush_us; }, sm::description("Time spent writing and flushing the log")),
        sm::make_gauge("log_waiters_count", [this] { return log_counters().waiters_count; }, sm::description("Writers that wait for a flush")),
        sm::make_gauge("log_lag_us", [this] { return log_counters().lag_us; }, sm::description("Age of the oldest write that is not durable")),
        sm::make_gauge("log_files_count", [this] { return log_counters().files_count; }, sm::description("Files of the log")),
        sm::make_gauge("log_has_failed", [this] { return _log && _log->has_failed() ? 1 : 0; }, sm::description("1: takes no writes until a restart")),
    });
}

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

// --- tables ---

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
    co_return co_await change_catalog(drop_table_edit{info->id});
}

seastar::future<base::expected<void>> engine::set_attribute(attribute_edit edit) {
    if (seastar::this_shard_id() != 0) {
        co_return co_await container().invoke_on(0, &engine::set_attribute, std::move(edit));
    }
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    auto turn = co_await seastar::get_units(_catalog_turn, 1);
    if (edit.id.value != 0 && _catalog.find(edit.id) == nullptr) {
        co_return std::unexpected(no_table(edit.id));
    }
    co_return co_await change_catalog(std::move(edit));
}

// Holds the turn. The edit is durable first and known to all shards second, and only then answered: a crash in between finds it
// in the catalog, and a write that reaches a shard before the news of a drop is a write before the drop.
seastar::future<base::expected<void>> engine::change_catalog(catalog_edit edit) {
    if (!_catalog_log) {
        co_return fail(errc::busy, "the store is still being opened");
    }
    if (auto fits = _catalog.check(edit); !fits) {
        co_return fits;
    }
    if (auto durable = co_await _catalog_log->append(edit); !durable) {
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
        if (auto found = _tables.find(drop->id); found != _tables.end()) {
            auto dropped = std::move(found->second);
            _tables.erase(found);
            dropped->mark_dropped();
            _memtable_bytes -= dropped->rows().bytes();
            retire(std::move(dropped));
        }
    }
    [[maybe_unused]] const auto applied = _catalog.apply(edit);
}

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
