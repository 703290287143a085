#include "blobs/log_store.hh"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>
#include <seastar/core/sleep.hh>
#include <seastar/util/defer.hh>

#include "blobs/core/blob_name.hh"
#include "blobs/core/name_place.hh"
#include "blobs/logger.hh"
#include "shard/free_memory.hh"

namespace blobs {
namespace {

using base::errc;
using base::fail;

// A round of sealing makes room in less; others may have been faster to take it.
constexpr auto room_patience = std::chrono::milliseconds(500);
constexpr unsigned room_waits_max = 3;
constexpr auto memory_retry_pause = std::chrono::milliseconds(10);

} // namespace

log_store::log_store(log_config config, release r)
    : _config(config), _release(std::move(r)), _sealer(std::make_unique<sealer>(*this)),
      _merger(std::make_unique<merger>(*this)) {
    register_metrics();
}

log_store::~log_store() = default;

seastar::future<> log_store::stop() {
    if (_work.is_closed()) {
        co_return;
    }
    auto drained = _work.close();
    co_await _merger->stop();
    co_await _sealer->stop();
    co_await std::move(drained);
    _cache.clear();
    _recent_sources.fill(nullptr);
    _sources.clear();
    _by_name.clear();
    co_await _files.stop();
}

// --- opening ---------------------------------------------------------------------------------------------------------------

seastar::future<base::expected<void>> log_store::load(shard::disk& disk, shard::manifest& m) {
    if (_own_manifest == nullptr) {
        _disk = &disk;
        _own_manifest = &m;
    }
    auto loaded = co_await _files.load(disk, m, [this](blob_ptr blob) { add_blob(std::move(blob)); });
    const auto mark = m.state().flushed(shard::log_owner::records);
    co_await container().invoke_on_all([shard = m.shard(), mark, lanes = m.state().lanes()](log_store& there) {
        there._marks[shard] = mark;
        for (const auto& [lane, sequence] : lanes) {
            there._lanes[lane] = std::max(there._lanes[lane], sequence);
        }
    });
    co_await announce();
    co_return loaded;
}

// Everything of an older epoch was sealed by the first round of the shard that read its log later; the marks say how far that
// got.
bool log_store::is_sealed(uint64_t epoch, unsigned shard, base::sequence last) const {
    if (const auto lane = _lanes.find(shard); lane != _lanes.end() && last <= lane->second) {
        return true;
    }
    return std::ranges::any_of(_marks, [&](const auto& by_shard) {
        const auto& [writer, mark] = by_shard;
        if (mark.epoch == epoch) {
            return writer == shard && last <= mark.sequence;
        }
        return mark.epoch > epoch && shard % mark.shards_count == writer;
    });
}

seastar::future<> log_store::replay(uint64_t epoch, unsigned shard, const shard::wal_record& record) {
    const base::sequence last{record.first.value + record.sequences_count - 1};
    if (is_sealed(epoch, shard, last)) {
        _sealed_lanes[shard] = std::max(_sealed_lanes[shard], last);
        co_return;
    }
    uint64_t inserted_count = 0;
    if (auto inserted = insert(record.payload, nullptr, inserted_count); !inserted) {
        logger.error("log: sequence {}: {}", record.first.value, base::to_string(inserted.error()));
    }
    _replayed_lanes[shard] = last; // each lane is read in its order, epoch by epoch
    co_await announce();
    // What cannot be sealed, a disk may be full, stays as long as there is memory for it.
    if (_buffer_bytes > _config.memory_bytes_max && !_sealer->failure()) {
        co_await _sealer->seal_replayed(_config.memory_bytes_max).discard_result(); // the sealer says why not
    }
}

std::vector<shard::lane_mark> log_store::replayed_lanes() const {
    std::vector<shard::lane_mark> lanes;
    for (const auto& [lane, sequence] : _replayed_lanes) {
        lanes.push_back({lane, sequence});
    }
    return lanes;
}

// The mark that says a log is sealed may be in the manifest of another shard, which writes over it with its next round, for fewer
// logs if there are more shards now. The log itself may outlive that.
seastar::future<base::expected<void>> log_store::settle(shard::manifest& own) {
    for (const auto& [lane, sequence] : _sealed_lanes) {
        const auto known = own.state().lanes().find(lane);
        if (known != own.state().lanes().end() && known->second >= sequence) {
            continue;
        }
        // A full disk must not keep a store from opening.
        if (auto done = co_await own.apply(shard::lane_mark{lane, sequence}); !done && done.error().code != errc::out_of_space) {
            co_return done;
        }
    }
    co_return base::expected<void>();
}

void log_store::start(shard::log_services services) {
    _services.emplace(services);
    _sealed_upto = base::sequence{services.log.next().value - 1};
    _sealer->start();
    _merger->start();
}

seastar::future<base::expected<void>> log_store::flush() {
    if (_own_manifest == nullptr) {
        return seastar::make_ready_future<base::expected<void>>(); // of a shard that is not in use: it has nothing
    }
    return _services ? _sealer->seal() : _sealer->seal_replayed(0);
}

// --- writing ---------------------------------------------------------------------------------------------------------------

source_ptr& log_store::make_source(std::string_view name) {
    const auto found = _sources.find(name);
    if (found != _sources.end()) {
        return found->second;
    }
    auto made = seastar::make_lw_shared<log_source>();
    made->name = name;
    return _sources.emplace(std::string(name), std::move(made)).first->second;
}

// The log's own sequences grow at least as fast, and over all starts and core counts: whoever begins at the log's next one begins
// above all that the source ever had in this lane.
std::optional<uint64_t> log_store::next_sequence(std::string_view name) {
    auto& recent = _recent_sources[name_place(name) % _recent_sources.size()];
    if (!recent || recent->name != name) {
        if (!_sources.contains(name) && _sources.size() >= _config.sources_max) {
            return std::nullopt;
        }
        recent = make_source(name);
    }
    if (recent->next_sequence == 0) {
        recent->next_sequence = _services->log.next().value;
    }
    return recent->next_sequence++;
}

seastar::future<base::expected<void>> log_store::admit(uint64_t bytes) {
    for (unsigned waits = 0; _buffer_bytes + _pending_bytes + bytes > _config.memory_bytes_max; ++waits) {
        if (waits == room_waits_max || !co_await _sealer->wait_for_room(room_patience)) {
            ++_counters.refused_busy_total;
            co_return _sealer->failure()
                ? std::unexpected(*_sealer->failure())
                : fail(errc::busy, "the memory for records not yet in blobs is used up; try again later");
        }
        if (_work.is_closed()) {
            co_return fail(errc::shutting_down, "the server is stopping");
        }
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> log_store::append(log_batch batch) {
    const auto hold = _work.try_hold();
    if (!hold || !_services) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    if (_services->guard.is_low() && !batch.is_of_upkeep) {
        co_return std::unexpected(_services->guard.why());
    }
    auto& log = _services->log;
    if (auto admitted = co_await admit(batch.raw_bytes); !admitted) {
        co_return admitted;
    }
    auto room = co_await log.reserve(batch.payload.size());
    if (!room) {
        co_return std::unexpected(room.error());
    }
    // Last of all, right before the write: once it is in the log it must find room in memory too, and nobody may send it again.
    if (shard::is_memory_short(batch.raw_bytes)) {
        _sealer->wake();
        ++_counters.refused_busy_total;
        co_return fail(errc::busy, "memory is short; try again later");
    }
    const auto first = log.next();
    const auto reached = batch.sequence_end > first.value ? batch.sequence_end - first.value : 0;
    const auto count = static_cast<uint32_t>(std::clamp<uint64_t>(reached, batch.records_count, UINT32_MAX));
    const std::string_view pieces[] = {batch.payload};
    log.append(std::move(*room), first, count, batch_record, pieces);
    const base::sequence last{first.value + count - 1};
    _pending_bytes += batch.raw_bytes;
    _pending.push_back({first, last, std::move(batch)});
    if (auto durable = co_await log.wait_durable(last); !durable) {
        co_return durable;
    }
    // It will be there after a restart, so it must be found now: sealing gives memory back.
    while (!insert_durable()) {
        _sealer->wake();
        if (_work.is_closed()) {
            co_return fail(errc::shutting_down, "the server is stopping");
        }
        co_await seastar::sleep(memory_retry_pause);
    }
    co_await announce();
    co_return base::expected<void>();
}

// In the order of the log, whoever is told first: so that a sequence divides what is in buffers from what is not.
bool log_store::insert_durable() {
    while (!_pending.empty() && _pending.front().last <= _services->log.durable()) {
        auto& [first, last, batch, inserted_count] = _pending.front();
        try {
            if (auto inserted = insert(batch.payload, batch.body.get(), inserted_count); !inserted) {
                logger.error("a batch that is in the log cannot be read: {}", base::to_string(inserted.error()));
            }
        } catch (const std::bad_alloc&) {
            return false;
        }
        _pending_bytes -= batch.raw_bytes;
        _counters.records_total += batch.records_count;
        _counters.raw_bytes_total += batch.raw_bytes;
        _counters.log_bytes_total += batch.payload.size();
        _pending.pop_front();
    }
    _sealer->wake_if_due();
    return true;
}

base::expected<void> log_store::insert(std::string_view payload, const std::string* body, uint64_t& inserted_count) {
    source_ptr source;
    uint64_t number = 0;
    const auto take = [&](std::string_view name, const record& r, std::string_view coded) {
        if (number++ < inserted_count) {
            return;
        }
        if (!source || source->name != name) {
            source = make_source(name);
        }
        insert(*source, r, coded);
        ++inserted_count;
        if (_listener != nullptr) {
            _listener->record_written(name, r);
        }
    };
    if (body == nullptr) {
        return read_batch(payload, _zstd, _scratch, take);
    }
    visit_body(*body, take);
    return {};
}

void log_store::insert(log_source& source, const record& r, std::string_view coded) {
    note_name(source);
    const auto period = period_of(r.order.time_ns);
    auto at = source.open.find(period);
    if (at == source.open.end()) {
        at = source.open.emplace(period, seastar::make_lw_shared<record_buffer>()).first;
        ++_open_buffers_count;
    }
    auto& buffer = *at->second;
    // Also what it took when it could not take all.
    const auto account = seastar::defer(
        [this, &buffer, before = buffer.memory_bytes()]() noexcept { _buffer_bytes += buffer.memory_bytes() - before; });
    buffer.add(r, coded);
}

// --- what is where -----------------------------------------------------------------------------------------------------------

base::sequence log_store::first_not_in_buffers() const {
    return _pending.empty() ? _services->log.next() : _pending.front().first;
}

base::sequence log_store::needed_from() const {
    if (!_services) {
        return {};
    }
    return _buffer_bytes > 0 ? base::sequence{_sealed_upto.value + 1} : first_not_in_buffers();
}

void log_store::sealed_upto(base::sequence upto) {
    _sealed_upto = upto;
    _release();
}

void log_store::note_name(log_source& source) {
    if (std::exchange(source.is_named, true)) {
        return;
    }
    if (const auto [at, is_new] = _names.emplace(source.name); is_new) {
        _unannounced.push_back(*at);
    }
}

void log_store::add_blob(blob_ptr blob) {
    const auto& identity = blob->facts.identity;
    auto& source = *make_source(identity.source);
    note_name(source);
    source.blobs.push_back(blob);
    _by_name.insert_or_assign(blob_name(identity), std::move(blob));
}

void log_store::remove_blob(const blob_ptr& blob) {
    blob->is_gone = true;
    const auto name = blob_name(blob->facts.identity);
    if (const auto found = _by_name.find(name); found != _by_name.end() && found->second == blob) {
        _by_name.erase(found);
    }
    std::erase(make_source(blob->facts.identity.source)->blobs, blob);
    _cache.forget(blob);
}

// What replaced it may have been replaced since, each time by a lower name.
blob_ptr log_store::find_blob_here(std::string_view name) const {
    const auto now_ns = _config.now_ns ? _config.now_ns() : 0;
    for (const std::string* by = nullptr;; name = *by) {
        if (const auto found = _by_name.find(name); found != _by_name.end()) {
            return found->second;
        }
        by = _replaced.find(name, now_ns);
        if (by == nullptr) {
            return nullptr;
        }
    }
}

source_ptr log_store::find_source(std::string_view name) const {
    const auto found = _sources.find(name);
    return found == _sources.end() ? nullptr : found->second;
}

// One at a time: who finds nothing to do has waited for those who had.
seastar::future<> log_store::announce() {
    if (_unannounced.empty() && _announcing.available_units() > 0) {
        co_return;
    }
    const auto turn = co_await seastar::get_units(_announcing, 1);
    auto names = std::exchange(_unannounced, {});
    if (names.empty()) {
        co_return;
    }
    try {
        co_await container().invoke_on_others([&names](log_store& there) { there._names.insert(names.begin(), names.end()); });
    } catch (const std::bad_alloc&) { // with the next ones, then: what they are of is stored
        names.swap(_unannounced);
        _unannounced.insert(_unannounced.end(), names.begin(), names.end());
    }
}

void log_store::register_metrics() {
    namespace sm = seastar::metrics;
    const auto counter = [](const char* name, const uint64_t& value, const char* what) {
        return sm::make_counter(name, value, sm::description(what));
    };
    const auto& seals = _sealer->counters();
    _metrics.add_group(
        "blobs",
        {counter("records_total", _counters.records_total, "Log records stored"),
         counter("raw_bytes_total", _counters.raw_bytes_total, "Bytes of their texts, each with a line end"),
         counter("log_bytes_total", _counters.log_bytes_total, "Bytes of batches of records written to the log"),
         counter("sealed_bytes_total", seals.bytes_total, "Bytes of blob files written from buffers"),
         counter("sealed_blobs_total", seals.blobs_total, "Blobs made from buffers"),
         counter("merged_bytes_total", _merger->counters().bytes_total, "Bytes of blob files written by merges"),
         counter("merged_blobs_total", _merger->counters().replaced_total, "Blobs that were merged into others"),
         counter("seal_rounds_total", seals.rounds_total, "Rounds that wrote records from memory to blobs"),
         counter("seal_failures_total", seals.failures_total, "Rounds that failed and are tried again"),
         counter("refused_busy_total", _counters.refused_busy_total, "Batches refused because memory was used up"),
         counter("searches_total", _counters.searches_total, "Searches of a source on a shard"),
         counter("blocks_read_total", _counters.blocks_read_total, "Blocks of blobs decoded by searches"),
         counter("blocks_skipped_total", _counters.blocks_skipped_total, "Blocks of blobs that searches could leave out"),
         counter("search_bytes_total", _counters.search_bytes_total, "Bytes of blobs read by searches"),
         sm::make_gauge(
             "open_buffers_count", [this] { return _open_buffers_count; }, sm::description("Buffers that take records")),
         sm::make_gauge(
             "buffer_bytes", [this] { return _buffer_bytes; }, sm::description("Memory of records not yet in blobs")),
         sm::make_gauge(
             "sources_count", [this] { return _sources.size(); }, sm::description("Sources on this shard")),
         sm::make_gauge(
             "files_count", [this] { return _files.files_count(); }, sm::description("Blob files")),
         sm::make_gauge("stored_bytes", [this] { return _files.bytes(); }, sm::description("Bytes of all blob files"))});
}

} // namespace blobs
