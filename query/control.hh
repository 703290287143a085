// What holds a running query within its bounds. Lives on the shard that was asked; the shards that work for it look at it, which
// is the one thing they share: two atomic numbers, touched once for each page of a scan.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "query/failure.hh"

namespace query {

struct budgets {
    // What a query may hold, on all shards together.
    size_t memory_bytes_max = 64u << 20;
    // Rows it may look at.
    uint64_t rows_examined_max = 200'000'000;
    std::chrono::milliseconds time_max = std::chrono::seconds(30);
};

class control {
public:
    using clock = std::chrono::steady_clock;

    control(const budgets& b, unsigned shards_count)
        : _shard_bytes_max(b.memory_bytes_max / shards_count), _rows_max(b.rows_examined_max),
          _deadline(clock::now() + b.time_max) {}

    // From the shard that was asked.
    void cancel() { _is_cancelled.store(true, std::memory_order_relaxed); }
    uint64_t rows_examined() const { return _rows.load(std::memory_order_relaxed); }
    uint64_t rows_skipped() const { return _skipped.load(std::memory_order_relaxed); }

    // From any shard.
    void add_examined(uint64_t rows) { _rows.fetch_add(rows, std::memory_order_relaxed); }
    void add_skipped(uint64_t rows) { _skipped.fetch_add(rows, std::memory_order_relaxed); }
    // Why it must end now, if it must. `held_bytes` is what the caller's shard holds for this query.
    std::expected<void, failure> check(size_t held_bytes) const {
        if (_is_cancelled.load(std::memory_order_relaxed)) {
            return failed(fault::cancelled);
        }
        if (clock::now() >= _deadline) {
            return failed(fault::over_time);
        }
        if (rows_examined() > _rows_max) {
            return failed(fault::over_scan);
        }
        return held_bytes > _shard_bytes_max ? failed(fault::over_memory) : std::expected<void, failure>();
    }
    // Until when one call of the engine may work: soon enough to notice that nobody waits any more.
    clock::time_point slice_end() const { return std::min(_deadline, clock::now() + slice); }

private:
    static constexpr std::chrono::milliseconds slice{100};

    size_t _shard_bytes_max;
    uint64_t _rows_max;
    clock::time_point _deadline;
    std::atomic<bool> _is_cancelled = false;
    std::atomic<uint64_t> _rows = 0;
    std::atomic<uint64_t> _skipped = 0;
};

} // namespace query
