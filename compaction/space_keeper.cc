#include "compaction/space_keeper.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/util/defer.hh>

#include "compaction/logger.hh"
#include "shard/background.hh"

namespace compaction {

space_keeper::space_keeper(shard::disk& d, retention& r, space_config config)
    : _disk(d), _retention(r), _config(config),
      _timer([this] { shard::run_in_background(_work, "looking at the used space", [this] { return look(); }); }) {}

void space_keeper::start() {
    _timer.arm_periodic(_config.every);
}

seastar::future<> space_keeper::stop() {
    _timer.cancel();
    return _work.close();
}

seastar::future<> space_keeper::look() {
    if (std::exchange(_is_looking, true)) {
        co_return;
    }
    const auto done = seastar::defer([this]() noexcept { _is_looking = false; });
    // What was dropped a moment ago may still be read by somebody. To drop more for it would take history that had to go for
    // nothing. Looked at first: what leaves between the two is then counted twice, not as used.
    const auto passing = co_await _retention.passing_bytes();
    const auto space = co_await _disk.space();
    const auto taken = space.total_bytes - space.free_bytes;
    const auto used = taken - std::min(taken, passing);
    if (used <= _config.high_water_bytes) {
        _is_helpless = false;
        co_return;
    }
    const auto report = co_await _retention.drop_oldest(used - _config.high_water_bytes);
    if (report.dropped.empty() && !std::exchange(_is_helpless, true)) {
        logger.warn(
            "{} MB of the disk are used, more than the high-water mark of {} MB, and nothing can be dropped: no table that has a "
            "retention policy and whose period is over takes any",
            used >> 20, _config.high_water_bytes >> 20);
    }
}

} // namespace compaction
