#include "tables/core/write_admission.hh"

#include <algorithm>

namespace tables {
namespace {

// How far a partition may be ahead of its rate: senders come in bursts. A transaction that begins within it goes through whole.
constexpr auto burst = std::chrono::milliseconds(100);

} // namespace

bool write_admission::has_room(const under_way& now, size_t bytes) const {
    return now.count < _limits.partition_writes_max && (now.bytes == 0 || now.bytes + bytes <= _limits.partition_bytes_max);
}

std::expected<write_admission::ticket, refused_write> write_admission::enter(const write& w, time_point now) {
    if (_count >= _limits.writes_max) {
        return std::unexpected(refused_write::shard_is_full);
    }
    if (const auto found = _by_partition.find(w.partition); found != _by_partition.end() && !has_room(found->second, w.bytes)) {
        return std::unexpected(refused_write::partition_is_full);
    }
    if (_limits.partition_rate_max != 0 && !pay(w, now)) {
        return std::unexpected(refused_write::partition_is_over_its_rate);
    }
    auto& here = _by_partition[w.partition];
    ++here.count;
    here.bytes += w.bytes;
    ++_count;
    return ticket(*this, w.partition, w.bytes);
}

// False when it took too much already; nothing is counted then, so that a refused client that asks again is not refused for that.
bool write_admission::pay(const write& w, time_point now) {
    forget_paid(now);
    auto& until = _paid_until[w.partition];
    if (until > now + burst) {
        return false;
    }
    const std::chrono::nanoseconds price(1'000'000'000 * w.entities_count / _limits.partition_rate_max);
    until = std::max(until, now) + price;
    return true;
}

void write_admission::forget_paid(time_point now) {
    if (_paid_until.size() < _sweep_at) {
        return;
    }
    std::erase_if(_paid_until, [now](const auto& entry) { return entry.second <= now; });
    _sweep_at = std::max(sweep_least, 2 * _paid_until.size());
}

void write_admission::leave(uint64_t partition, size_t bytes) {
    --_count;
    const auto found = _by_partition.find(partition);
    found->second.bytes -= bytes;
    if (--found->second.count == 0) {
        _by_partition.erase(found);
    }
}

} // namespace tables
