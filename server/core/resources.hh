// How many shards and how much memory a server takes on a given machine: a pure decision over facts.
#pragma once

#include <cstdint>

#include "base/error.hh"

namespace server {

struct machine_facts {
    unsigned cores = 1;         // this process may run on
    uint64_t memory_bytes = 0;  // of the machine, or of the control group when that is less
    uint64_t aio_slots_max = 0; // fs.aio-max-nr
    uint64_t aio_slots_used = 0;
};

struct resource_plan {
    unsigned shards = 1;
    uint64_t allocator_bytes = 0; // what the shards share; the rest of the figure is for code, stacks and libraries
    unsigned network_aio_slots = 0;

    bool operator==(const resource_plan&) const = default;

    // Of one listener on one shard.
    unsigned connections_max(unsigned listeners_count) const;
};

// Of a process, beside the shards' memory: program and library text and data, thread stacks.
constexpr uint64_t process_overhead_bytes = 48ull << 20;
// Less than this and a shard cannot hold its log buffer, a memtable and one query.
constexpr uint64_t shard_memory_min = 48ull << 20;
// The framework's disk queue and timer on every shard; fixed by Seastar.
constexpr unsigned shard_disk_aio_slots = 1024 + 16;
// For sockets. A connection takes two, and the framework stops the process when they run out, so connections are limited by them.
constexpr unsigned network_aio_slots_max = 16384;
constexpr unsigned network_aio_slots_min = 64;
constexpr unsigned network_aio_slots_spare = 32; // listeners, timers, and connections that are being turned away

// `shards` and `memory_bytes` as asked for, 0 when not. Asking for what is not there is an error in a sentence; not asking
// gives what fits.
base::expected<resource_plan> plan_resources(const machine_facts&, unsigned shards, uint64_t memory_bytes);

} // namespace server
