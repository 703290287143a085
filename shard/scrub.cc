#include "shard/scrub.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/maybe_yield.hh>

namespace shard {
namespace {

// How long it takes at most until a request to stop is seen.
constexpr std::chrono::milliseconds nap{100};

} // namespace

void scrub_summary::add(const scrub_summary& more) {
    files_count += more.files_count;
    bytes += more.bytes;
    damaged_count += more.damaged_count;
    const auto room = scrub_damage_listed_max - std::min(scrub_damage_listed_max, damage.size());
    damage.insert(damage.end(), more.damage.begin(),
                  more.damage.begin() + static_cast<ptrdiff_t>(std::min(room, more.damage.size())));
}

seastar::future<bool> scrub::admit(uint64_t bytes) {
    if (_bytes_per_second > 0) {
        const std::chrono::duration<double> due(static_cast<double>(_summary.bytes) / static_cast<double>(_bytes_per_second));
        while (!_must_stop && clock::now() - _begin < due) {
            co_await seastar::sleep(nap);
        }
    }
    co_await seastar::coroutine::maybe_yield();
    _summary.bytes += bytes;
    co_return !_must_stop;
}

void scrub::found(std::string damage) {
    ++_summary.damaged_count;
    if (_summary.damage.size() < scrub_damage_listed_max) {
        _summary.damage.push_back(std::move(damage));
    }
}

} // namespace shard
