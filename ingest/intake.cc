#include "ingest/intake.hh"

#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>
#include <seastar/core/when_all.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "ingest/logger.hh"
#include "shard/background.hh"

namespace ingest {
namespace {

using base::errc;
using base::fail;

constexpr auto ahead_period = std::chrono::seconds(30);
// Names a table can have before we give up: all of them taken by a user's own tables would be no accident.
constexpr unsigned name_attempts_max = 8;

// Parts of a shard's memory.
constexpr size_t in_flight_share = 32; // twice
constexpr size_t long_lines_share = 32;
// A series in the cache takes about half a KiB; so this is 1/16.
constexpr size_t memory_per_cached_series = 8192;

// Of the series that are told apart each takes up to 32 bytes; so this is 1/8 at the most.
constexpr size_t memory_per_series = 256;

size_t cached_series_count(size_t memory_bytes) {
    return std::bit_floor(std::clamp<size_t>(memory_bytes / memory_per_cached_series, 1024, 65536));
}

} // namespace

bool is_passing(const base::error& e) {
    return e.code == errc::busy || e.code == errc::out_of_space;
}

intake::intake(intake_config config, seastar::sharded<tables::engine>& engines, blobs::log_store* logs)
    : _config(std::move(config)), _engine(engines.local()), _json(_points, _record_parts),
      _line_series(cached_series_count(_config.memory_bytes)), _graphite_series(cached_series_count(_config.memory_bytes) / 4),
      _json_series(1), _in_flight_bytes_max(_config.memory_bytes / in_flight_share), _in_flight(_in_flight_bytes_max),
      _in_flight_waiting(_in_flight_bytes_max), _long_lines(_config.memory_bytes / long_lines_share) {
    if (logs != nullptr) {
        _batcher.emplace(*logs);
        namespace sm = seastar::metrics;
        sm::metric_groups groups;
        groups.add_group("ingest", {sm::make_counter(
                                       "records_ahead_total", [this] { return _batcher->records_ahead(); },
                                       sm::description("log records said to be of more than a day after their receipt"))});
        _metrics.push_back(std::move(groups));
    }
    for (unsigned p = 0; p < protocols_count; ++p) {
        _metrics.push_back(export_metrics(_counters[p], static_cast<protocol>(p)));
    }
}

seastar::future<> intake::open() {
    auto settings = _config.families;
    settings.series_max = _config.memory_bytes / memory_per_series;
    auto families = std::make_unique<family_index>(_engine.catalog(), std::move(settings));
    for (std::optional<std::string> from = ""; from;) {
        from = families->load(*from);
        co_await seastar::coroutine::maybe_yield();
    }
    _families = std::move(families);
    _router = std::make_unique<point_router>(*_families, _config.shards_count, _engine.placement());
    _ahead_timer.set_callback(
        [this] { shard::run_in_background(_work, "making tables ahead", [this] { return make_ahead(); }); });
    _ahead_timer.arm_periodic(ahead_period);
}

seastar::future<> intake::stop() {
    _ahead_timer.cancel();
    return _work.close();
}

int64_t intake::begin_piece() {
    _families->sync();
    const auto now_ns = _config.now_ns();
    if (_batcher) {
        _batcher->begin_piece(now_ns);
    }
    return now_ns;
}

seastar::future<base::expected<void>> intake::append(blobs::log_batch batch) {
    return _batcher->store().append(std::move(batch));
}

series_cache& intake::series(protocol p) {
    switch (p) {
    case protocol::graphite: return _graphite_series;
    case protocol::json: return _json_series;
    default: return _line_series;
    }
}

// --- tables ---

seastar::future<base::expected<base::table_id>> intake::make_table(table_need need) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    _families->sync();
    if (const auto* made = _families->find_made(need)) {
        co_return made->id;
    }
    co_return co_await container().invoke_on(0, &intake::make_table_here, std::move(need));
}

seastar::future<base::expected<base::table_id>> intake::make_table_here(table_need need) {
    auto turn = co_await seastar::get_units(_making, 1);
    _families->sync();
    if (const auto* made = _families->find_made(need)) {
        co_return made->id;
    }
    const tables::family_binding binding{need.family, need.every, need.start, need.spread};
    for (unsigned attempt = 0; attempt < name_attempts_max; ++attempt) {
        auto made = co_await _engine.create_table({_config.families.account, _families->table_name(need, attempt), binding});
        if (made) {
            logger.debug("made table {} for family {}", made->name, need.family);
            co_return made->id;
        }
        if (made.error().code != errc::table_exists) {
            co_return std::unexpected(made.error());
        }
    }
    co_return fail(errc::table_exists, fmt::format("every name that the table of family {} could have is taken", need.family));
}

seastar::future<> intake::make_ahead() {
    const auto now = _config.now_ns();
    _families->sync();
    auto due = _families->due_ahead(now);
    _families->sweep(now);
    for (auto& need : due) {
        auto family = need.family;
        if (auto made = co_await make_table(std::move(need)); !made) {
            logger.warn("the next table of family {} cannot be made yet: {}", family, base::to_string(made.error()));
            co_return; // the timer comes again, and a point that needs it will ask as well
        }
    }
}

// --- rows ---

seastar::future<base::expected<void>> intake::upsert(unsigned owner, std::vector<std::string> batches) {
    if (owner == seastar::this_shard_id()) {
        return upsert_here(std::move(batches));
    }
    return container().invoke_on(
        owner, [batches = std::move(batches)](intake& there) mutable { return there.upsert_here(std::move(batches)); });
}

// All are begun in their order, and then awaited: one flush of the log serves them all.
seastar::future<base::expected<void>> intake::upsert_here(std::vector<std::string> batches) {
    std::vector<seastar::future<base::expected<void>>> begun;
    begun.reserve(batches.size());
    for (auto& batch : batches) {
        begun.push_back(_engine.upsert(seastar::this_shard_id(), std::move(batch)));
    }
    const auto outcomes = co_await seastar::when_all_succeed(std::move(begun));
    // What may work later comes first: who tries again tries all of them, and learns about the others then.
    base::expected<void> worst;
    for (const auto& outcome : outcomes) {
        if (!outcome && (worst || (is_passing(outcome.error()) && !is_passing(worst.error())))) {
            worst = outcome;
        }
    }
    co_return worst;
}

} // namespace ingest
