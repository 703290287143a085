#include "compaction/runner.hh"

#include <algorithm>
#include <optional>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>
#include <seastar/coroutine/switch_to.hh>

#include "compaction/logger.hh"
#include "shard/free_memory.hh"
#include "tables/core/dropped_periods.hh"
#include "tables/core/period.hh"

namespace compaction {
namespace {

// What a file takes that is merged: the block at hand, decoded, and the next as it is read.
constexpr uint64_t input_bytes = 1u << 20;
constexpr size_t inputs_min = 2;

// Of a table whose merge has failed.
constexpr std::chrono::seconds pause_min{1};
constexpr std::chrono::seconds pause_max = std::chrono::hours(1);

runner_config within_memory(runner_config config) {
    if (config.memory_bytes > 0) {
        const auto affordable = std::max<size_t>(config.memory_bytes / input_bytes, inputs_min);
        config.how.inputs_max = std::min(config.how.inputs_max, affordable);
    }
    return config;
}

} // namespace

runner::runner(seastar::sharded<tables::engine>& engines, runner_config config)
    : _engine(engines.local()), _config(within_memory(std::move(config))), _timer([this] { _wake.signal(); }) {
    register_metrics();
}

void runner::start() {
    _timer.arm_periodic(_config.every);
    _fiber = run();
}

seastar::future<> runner::stop() {
    _is_stopping = true;
    _timer.cancel();
    _wake.signal();
    co_await std::exchange(_fiber, seastar::make_ready_future<>());
}

seastar::future<> runner::run() {
    co_await seastar::coroutine::switch_to(_config.group);
    while (!_is_stopping) {
        co_await run_once();
        if (!_is_stopping) {
            co_await _wake.wait();
        }
    }
}

seastar::future<> runner::run_once() {
    const auto turn = co_await seastar::get_units(_turn, 1);
    forget_dropped();
    while (!_is_stopping) {
        const auto job = next_job();
        // What comes in goes first; there is a next time.
        if (!job || shard::is_memory_short(job->choice.count * input_bytes / 2)) {
            co_return;
        }
        // On a full disk one is enough to know it; a smaller one comes first the next time.
        if (!co_await run_job(*job)) {
            co_return;
        }
    }
}

std::optional<base::tick> runner::closing_of(base::table_id id) const {
    const auto* info = _engine.catalog().find(id);
    if (info == nullptr || !info->family || !_config.now) {
        return std::nullopt;
    }
    const auto end = tables::end_of(info->family->period, info->family->period_start);
    return base::tick{end.value + tables::closed_after_ticks};
}

// The table with the most files first: it is the slowest to read.
std::optional<runner::job> runner::next_job() const {
    std::optional<job> best;
    size_t best_files = 0;
    const auto tables = _engine.segments_here();
    for (const auto& t : tables) {
        if (t.newest_first.size() <= best_files || is_waiting(t.table)) {
            continue;
        }
        const auto closing = closing_of(t.table);
        std::vector<file_fact> files;
        for (const auto& f : t.newest_first) {
            files.push_back({f.bytes, f.can_begin, closing && f.first_written > *closing});
        }
        if (const auto choice = choose(files, _config.how, closing && _config.now() > *closing)) {
            best = job{t.table, t.generation, *choice};
            best_files = files.size();
        }
    }
    return best;
}

bool runner::is_waiting(base::table_id id) const {
    const auto found = _setbacks.find(id);
    return found != _setbacks.end() && seastar::lowres_clock::now() < found->second.until;
}

void runner::set_back(base::table_id id, bool is_longer) {
    auto& s = _setbacks[id];
    s.pause = is_longer ? std::clamp(2 * s.pause, pause_min, pause_max) : pause_min;
    s.until = seastar::lowres_clock::now() + s.pause;
}

void runner::forget_dropped() {
    std::erase_if(_setbacks, [this](const auto& s) { return _engine.catalog().find(s.first) == nullptr; });
}

seastar::future<bool> runner::run_job(job j) {
    const auto done =
        co_await _engine.merge_here(j.table, j.generation, j.choice.first, j.choice.count, [this] { return _is_stopping; });
    if (done) {
        ++_counters.merges_total;
        _counters.bytes_read_total += done->bytes_read;
        _counters.bytes_written_total += done->bytes_written;
        _setbacks.erase(j.table);
        co_return true;
    }
    const auto code = done.error().code;
    const bool is_failure = code != base::errc::busy && code != base::errc::shutting_down && code != base::errc::table_not_found;
    const bool is_disk_full = code == base::errc::out_of_space;
    set_back(j.table, is_failure && !is_disk_full);
    if (is_failure) {
        ++_counters.failures_total;
        logger.warn("table {}: segments could not be merged and stay as they are for {} s: {}", j.table.value,
                    _setbacks[j.table].pause.count(), base::to_string(done.error()));
    }
    co_return !is_disk_full;
}

void runner::register_metrics() {
    namespace sm = seastar::metrics;
    _metrics.add_group(
        "compaction",
        {
            sm::make_counter("merges_total", _counters.merges_total, sm::description("Merges of segments")),
            sm::make_counter("failures_total", _counters.failures_total, sm::description("Merges given up because of an error")),
            sm::make_counter("read_bytes_total", _counters.bytes_read_total, sm::description("Bytes of segments merged")),
            sm::make_counter("written_bytes_total", _counters.bytes_written_total,
                             sm::description("Bytes of segments that came out")),
        });
}

} // namespace compaction
