#include "service/core/partition_heat.hh"

#include <algorithm>

namespace service {
namespace {

constexpr auto window_length = std::chrono::milliseconds(100);
// What a request costs beside the bytes of its body, in bytes.
constexpr uint64_t request_work = 4096;
// A partition with less than this in a window or two disturbs nobody.
constexpr uint64_t hot_work_min = 64 * request_work;
// Of all work: one part in so many makes it hot.
constexpr uint64_t hot_part = 8;

size_t place(uint64_t partition, unsigned row, size_t places) {
    return (partition >> (row * 32)) % places;
}

} // namespace

void partition_heat::window::add(uint64_t partition, uint64_t amount) {
    total += amount;
    for (unsigned row = 0; row < rows_count; ++row) {
        work[row][place(partition, row, row_places)] += amount;
    }
}

uint64_t partition_heat::window::of(uint64_t partition) const {
    uint64_t least = UINT64_MAX;
    for (unsigned row = 0; row < rows_count; ++row) {
        least = std::min(least, work[row][place(partition, row, row_places)]);
    }
    return least;
}

bool partition_heat::note(uint64_t partition, uint64_t body_bytes, time_point now) {
    turn(now);
    _now.add(partition, request_work + body_bytes);
    const auto its = _now.of(partition) + _before.of(partition);
    return its >= hot_work_min && its > (_now.total + _before.total) / hot_part;
}

void partition_heat::turn(time_point now) {
    const auto age = now - _begun;
    if (age < window_length) {
        return;
    }
    _before = age < 2 * window_length ? _now : window{};
    _now = {};
    _begun = now;
}

} // namespace service
