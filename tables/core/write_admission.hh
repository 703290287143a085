// How many writes may be under way on a shard and in one partition of it, and how many entities a second one partition takes.
// Whoever comes when there is no place is told at once: a queue that grows would only make everybody late, and one hot partition
// would push out all the others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <unordered_map>
#include <utility>

namespace tables {

struct admission_limits {
    size_t writes_max = 4096;           // of a shard
    size_t partition_writes_max = 1024; // of one partition: a few groups of the log
    // Of one partition: as much as the log collects for one flush, so that others wait for one flush of it and not for many. A
    // single write may be larger.
    size_t partition_bytes_max = 8 << 20;
    uint64_t partition_rate_max = 0; // entities a second of one partition; 0: as many as the machine can take
};

enum class refused_write {
    shard_is_full,
    partition_is_full,
    partition_is_over_its_rate,
};

class write_admission {
public:
    using time_point = std::chrono::steady_clock::time_point;

    explicit write_admission(admission_limits limits) : _limits(limits) {}
    write_admission(const write_admission&) = delete;

    // A place, given back when it is destroyed.
    class ticket {
    public:
        ticket(ticket&& other) noexcept
            : _owner(std::exchange(other._owner, nullptr)), _partition(other._partition), _bytes(other._bytes) {}
        ticket& operator=(ticket&&) = delete;
        ~ticket() {
            if (_owner != nullptr) {
                _owner->leave(_partition, _bytes);
            }
        }

    private:
        friend class write_admission;
        ticket(write_admission& owner, uint64_t partition, size_t bytes) : _owner(&owner), _partition(partition), _bytes(bytes) {}

        write_admission* _owner;
        uint64_t _partition;
        size_t _bytes;
    };

    // `partition` is a hash; two that share one share their places and their rate.
    struct write {
        uint64_t partition;
        size_t entities_count;
        size_t bytes;
    };
    std::expected<ticket, refused_write> enter(const write&, time_point now);

    size_t count() const { return _count; }
    // Partitions whose rate is remembered.
    size_t paced_count() const { return _paid_until.size(); }

private:
    struct under_way {
        size_t count = 0;
        size_t bytes = 0;
    };

    bool has_room(const under_way&, size_t bytes) const;
    bool pay(const write&, time_point now);
    void forget_paid(time_point now);
    void leave(uint64_t partition, size_t bytes);

    const admission_limits _limits;
    size_t _count = 0;
    std::unordered_map<uint64_t, under_way> _by_partition;
    // Until when what a partition has taken counts. Entries of the past say nothing and are swept when there are many.
    std::unordered_map<uint64_t, time_point> _paid_until;
    size_t _sweep_at = sweep_least;
    static constexpr size_t sweep_least = 1024;
};

} // namespace tables
