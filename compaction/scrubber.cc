#include "compaction/scrubber.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>
#include <seastar/coroutine/switch_to.hh>
#include <seastar/util/defer.hh>

#include "compaction/logger.hh"
#include "shard/background.hh"

namespace compaction {
namespace {

using shard::scrub_summary;

seastar::future<scrub_summary> scrub_shard(tables::engine& tables, blobs::log_store& logs, uint64_t bytes_per_second,
                                           const std::atomic<bool>& must_stop, seastar::scheduling_group group) {
    co_await seastar::coroutine::switch_to(group);
    shard::scrub pass(bytes_per_second, must_stop);
    co_await tables.scrub_here(pass);
    co_await logs.scrub_here(pass);
    co_return pass.summary();
}

scrub_summary sum_of_scrubs(scrub_summary all, const scrub_summary& more) {
    all.add(more);
    return all;
}

// After a change of the core count several shards read the same file.
void leave_out_repeats(scrub_summary& found) {
    std::ranges::sort(found.damage);
    const auto repeats = std::ranges::unique(found.damage);
    found.damaged_count -= repeats.size();
    found.damage.erase(repeats.begin(), repeats.end());
}

} // namespace

scrubber::scrubber(seastar::sharded<tables::engine>& engines, seastar::sharded<blobs::log_store>& logs, shard::disk& d,
                   scrub_config config)
    : _engines(engines), _logs(logs), _disk(d), _config(std::move(config)),
      _timer([this] { shard::run_in_background(_work, "scrub", [this] { return run_by_itself(); }); }) {
    register_metrics();
}

// One that is not there or cannot be read is as good as none: the next pass writes it anew.
seastar::future<> scrubber::start() {
    try {
        if (co_await _disk.exists(scrub_file)) {
            auto last = shard::decode_scrub_record(co_await shard::read_whole(_disk, scrub_file, shard::scrub_record_bytes_max));
            _last = last ? std::optional(std::move(*last)) : std::nullopt;
        }
    } catch (const std::exception& e) {
        logger.warn("{}: {}", scrub_file, e.what());
    }
    if (_config.every.count() > 0) {
        _timer.arm(pause());
    }
}

std::chrono::seconds scrubber::pause() const {
    if (!_last) {
        return _config.first_after;
    }
    const std::chrono::seconds since((_config.now().value - _last->ended.value) / base::ticks_per_second);
    return std::clamp(_config.every - since, _config.first_after, std::max(_config.every, _config.first_after));
}

seastar::future<> scrubber::stop() {
    _is_stopping = true;
    _must_stop = true;
    _timer.cancel();
    co_await _work.close();
}

seastar::future<std::optional<scrub_record>> scrubber::run() {
    const auto hold = _work.hold();
    if (_is_by_itself) {
        _must_stop = true;
    }
    const auto turn = co_await seastar::get_units(_turn, 1);
    _must_stop = _is_stopping;
    if (co_await pass(0)) {
        co_return _last;
    }
    co_return std::nullopt;
}

seastar::future<> scrubber::run_by_itself() {
    const auto turn = co_await seastar::get_units(_turn, 1);
    _is_by_itself = true;
    const auto over = seastar::defer([this]() noexcept { _is_by_itself = false; });
    co_await pass(_config.bytes_per_second);
    if (!_is_stopping) {
        _timer.rearm(seastar::timer<>::clock::now() + pause());
    }
}

seastar::future<bool> scrubber::pass(uint64_t bytes_per_second) {
    const auto begun = _config.now();
    _is_running = true;
    const auto over = seastar::defer([this]() noexcept { _is_running = false; });
    auto found = co_await _engines.map_reduce0(
        [this, bytes_per_second](tables::engine& e) {
            return scrub_shard(e, _logs.local(), bytes_per_second, _must_stop, _config.group);
        },
        scrub_summary(), sum_of_scrubs);
    _bytes_total += found.bytes;
    if (_must_stop) {
        co_return false;
    }
    leave_out_repeats(found);
    ++_passes_total;
    for (const auto& sentence : found.damage) {
        logger.error("{}", sentence);
    }
    logger.info("{} files and {} bytes verified as of {}: {} damaged ranges", found.files_count, found.bytes,
                base::to_text(begun), found.damaged_count);
    co_await keep({begun, _config.now(), found.files_count, found.bytes, found.damaged_count, std::move(found.damage)});
    co_return true;
}

// On a full disk it is only known until the next start.
seastar::future<> scrubber::keep(scrub_record done) {
    _last = std::move(done);
    try {
        co_await shard::replace_whole(_disk, scrub_file, encode(*_last));
    } catch (const std::exception& e) {
        logger.warn("{}: {}", scrub_file, e.what());
    }
}

void scrubber::register_metrics() {
    namespace sm = seastar::metrics;
    const auto last_seconds = [this] { return _last ? base::unix_ns(_last->begun) / 1'000'000'000 : 0; };
    _metrics.add_group(
        "scrub",
        {
            sm::make_counter("passes_total", _passes_total, sm::description("Whole passes that verified everything stored")),
            sm::make_counter("bytes_total", _bytes_total, sm::description("Bytes read by them")),
            sm::make_gauge(
                "is_running", [this] { return _is_running ? 1 : 0; }, sm::description("1: a pass is under way")),
            sm::make_gauge(
                "damaged_ranges_count", [this] { return _last ? _last->damaged_count : 0; },
                sm::description("Damaged ranges that the last pass found")),
            sm::make_gauge("verified_seconds", last_seconds,
                           sm::description("Unix time as of which the last pass verified everything; 0: none yet")),
        });
}

} // namespace compaction
