// What holds a running query within its bounds, and what it came across. Lives on the shard that was asked; the shards that work
// for it look at it, which is the one thing they share: a few atomic numbers, touched once for each page of a scan, and for each
// shard a list of what it could not read.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include <seastar/core/abort_source.hh>
#include <seastar/core/shard_id.hh>

#include "query/core/native/damage.hh"
#include "query/failure.hh"
#include "shard/free_memory.hh"

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
          _deadline(clock::now() + b.time_max), _damage(shards_count) {}

    // From the shard that was asked.
    void cancel() { _is_cancelled.store(true, std::memory_order_relaxed); }
    // When the client goes, or if it has gone by now. Hold what this gives while the query runs.
    [[nodiscard]] seastar::optimized_optional<seastar::abort_source::subscription> cancel_with(seastar::abort_source& gone) {
        auto subscribed = gone.subscribe([this]() noexcept { cancel(); });
        if (!subscribed) {
            cancel();
        }
        return subscribed;
    }
    uint64_t rows_examined() const { return _rows.load(std::memory_order_relaxed); }
    uint64_t rows_skipped() const { return _skipped.load(std::memory_order_relaxed); }
    uint64_t blocks_read() const { return _blocks.load(std::memory_order_relaxed); }
    // For who begins anew. While no shard works for it.
    void set_skipped(uint64_t rows) { _skipped.store(rows, std::memory_order_relaxed); }
    // From now on the query goes on without what cannot be read; else that ends it. Before any shard works for it.
    void pass_damage() { _passes_damage = true; }
    // What had to be left out, at most damaged_ranges_max. When no shard works for it any more.
    std::vector<damaged_range> damage() const {
        std::vector<damaged_range> all;
        for (const auto& some : _damage) {
            all.insert(all.end(), some.begin(), some.end());
        }
        all.resize(std::min(all.size(), damaged_ranges_max));
        return all;
    }

    // From any shard.
    void add_examined(uint64_t rows) { _rows.fetch_add(rows, std::memory_order_relaxed); }
    void add_skipped(uint64_t rows) { _skipped.fetch_add(rows, std::memory_order_relaxed); }
    void add_blocks_read(uint64_t blocks) { _blocks.fetch_add(blocks, std::memory_order_relaxed); }
    bool passes_damage() const { return _passes_damage; }
    void add_damage(damaged_range lost) {
        auto& here = _damage[seastar::this_shard_id()];
        if (here.size() < damaged_ranges_max && !std::ranges::contains(here, lost)) {
            here.push_back(std::move(lost));
        }
    }
    void add_damage(const table_part& part, const tables::damage_list& lost) {
        for (const auto& keys : lost) {
            add_damage(range_of(part, keys));
        }
    }
    // About an error of a table: one that was dropped meanwhile has no rows, and one that is damaged as a whole is left out like
    // any other damage.
    std::expected<void, failure> leave_out(const table_part& part, base::error why) {
        if (!_passes_damage || !tables::is_damage(why)) {
            return unless_dropped(std::move(why));
        }
        add_damage({.table = part.table,
                    .first_partition = {},
                    .last_partition = {},
                    .blob = {},
                    .times = part.covers,
                    .why = std::move(why.detail)});
        return {};
    }
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
        if (held_bytes > _shard_bytes_max) {
            return failed(fault::over_memory);
        }
        // Rows that are kept are packed anew now and then, which takes their bytes once more. Those who write go first.
        if (shard::is_memory_short(held_bytes / 2)) {
            return failed({base::errc::busy, "memory is short; try again later"});
        }
        return {};
    }
    // Time to hold less, where that is possible.
    bool is_much(size_t held_bytes) const { return held_bytes > _shard_bytes_max / 4 * 3; }
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
    std::atomic<uint64_t> _blocks = 0;
    bool _passes_damage = false;
    std::vector<std::vector<damaged_range>> _damage; // by shard
};

} // namespace query
