#include "shard/disk_guard.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "shard/background.hh"
#include "shard/logger.hh"

namespace shard {

disk_guard::disk_guard(disk& d, uint64_t reserve_bytes, std::chrono::milliseconds every)
    : _disk(d), _reserve_bytes(reserve_bytes), _every(every),
      _timer([this] { run_in_background(_work, "looking at the free space", [this] { return look(); }); }) {}

seastar::future<> disk_guard::start() {
    if (_reserve_bytes == 0) {
        co_return;
    }
    co_await look();
    _timer.arm_periodic(_every);
}

seastar::future<> disk_guard::stop() {
    _timer.cancel();
    return _work.close();
}

seastar::future<> disk_guard::look() {
    _free_bytes = (co_await _disk.space()).free_bytes;
    const bool is_low = _free_bytes < (_is_low ? _reserve_bytes + _reserve_bytes / 4 : _reserve_bytes);
    if (is_low != _is_low) {
        _is_low = is_low;
        if (is_low) {
            logger.warn("{}", why().detail);
        } else {
            logger.info("{} MB are free again: writes are taken", _free_bytes >> 20);
        }
    }
}

base::error disk_guard::why() const {
    return {
        base::errc::out_of_space,
        fmt::format(
            "only {} MB are free on the disk of the data directory, and {} MB are kept in reserve: drop tables, set a retention "
            "policy or add space; writing resumes by itself",
            _free_bytes >> 20, _reserve_bytes >> 20)};
}

} // namespace shard
