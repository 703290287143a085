// How many writes may be under way on a shard, and in one partition of it. Whoever comes when there is no place is told at once: a
// queue that grows would only make everybody late, and one hot partition would push out all the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tables {

struct admission_limits {
    size_t writes_max = 4096;           // of a shard
    size_t partition_writes_max = 1024; // of one partition: a few groups of the log
};

class write_admission {
public:
    explicit write_admission(admission_limits limits) : _limits(limits) {}

    // A place, given back when it is destroyed. False when there was none.
    class ticket {
    public:
        ticket() = default;
        ticket(ticket&& other) noexcept : _owner(std::exchange(other._owner, nullptr)), _partition(other._partition) {}
        ticket& operator=(ticket&&) = delete;
        ~ticket() {
            if (_owner != nullptr) {
                _owner->leave(_partition);
            }
        }
        explicit operator bool() const { return _owner != nullptr; }

    private:
        friend class write_admission;
        ticket(write_admission& owner, uint64_t partition) : _owner(&owner), _partition(partition) {}

        write_admission* _owner = nullptr;
        uint64_t _partition = 0;
    };

    // `partition` is a hash; two that share one share their places.
    ticket enter(uint64_t partition) {
        if (_count >= _limits.writes_max) {
            return {};
        }
        auto& here = _by_partition[partition];
        if (here >= _limits.partition_writes_max) {
            return {};
        }
        ++here;
        ++_count;
        return {*this, partition};
    }

    size_t count() const { return _count; }

private:
    void leave(uint64_t partition) {
        --_count;
        if (const auto found = _by_partition.find(partition); --found->second == 0) {
            _by_partition.erase(found);
        }
    }

    const admission_limits _limits;
    size_t _count = 0;
    std::unordered_map<uint64_t, size_t> _by_partition;
};

} // namespace tables
