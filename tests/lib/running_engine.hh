// A table engine on a disk, for tests: started on some of the process's shards, stopped in the destructor. Bodies run in a
// Seastar thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <seastar/core/sharded.hh>

#include "compaction/runner.hh"
#include "shard/dma_disk.hh"
#include "tables/engine.hh"
#include "tests/sim/shared_disk.hh"
#include "tests/sim/sim_disk.hh"

namespace testing_lib {

// Each look is a millisecond later; can be set back.
class manual_clock {
public:
    base::tick now() { return base::tick{_now += base::ticks_per_ms}; }
    void set(base::tick t) { _now = t.value; }

private:
    int64_t _now = 639'000'000'000'000'000; // 2025
};

class running_engine {
public:
    struct options {
        unsigned shards_count = 1;
        uint64_t log_file_bytes = 512 << 10;
        uint64_t memtable_bytes_max = 512u << 20;
        uint64_t cache_bytes_max = 16u << 20;
        tables::flush_config flush{};
        tables::admission_limits admission{};
        uint64_t disk_reserve_bytes = 0;
        compaction::policy merging{};
        std::chrono::milliseconds merge_every = std::chrono::hours(24); // by itself; compact() does it at once
        std::function<void(seastar::sharded<tables::engine>&)> before_open{};
    };

    // On a simulated disk that lives on this shard.
    running_engine(sim::sim_disk&, options);
    // On a real directory.
    running_engine(const std::string& directory, options);
    ~running_engine();
    running_engine(const running_engine&) = delete;

    // The engine of this shard; or why it could not be opened.
    tables::engine& operator*() { return _engines.local(); }
    tables::engine* operator->() { return &_engines.local(); }
    seastar::sharded<tables::engine>& all() { return _engines; }
    const base::expected<tables::recovery_report>& opened() const { return _opened; }
    manual_clock& clock() { return _clock; }

    base::table_id create(const std::string& name);
    // On all shards.
    void flush();
    void compact();

private:
    void start(std::function<std::unique_ptr<shard::disk>()>, options);

    manual_clock _clock;
    seastar::sharded<tables::engine> _engines;
    seastar::sharded<compaction::runner> _mergers;
    base::expected<tables::recovery_report> _opened;
};

// A whole row as text, for comparisons: "pk|rk|a=i5,b=sx".
std::string to_text(const tables::batch_row&);
std::string to_text(std::string_view partition_key, std::string_view row_key, std::span<const tables::property>);

} // namespace testing_lib
