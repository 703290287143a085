#include "server/core/resources.hh"

#include <algorithm>

#include <fmt/format.h>

namespace server {
namespace {

constexpr unsigned mib(uint64_t bytes) {
    return static_cast<unsigned>(bytes >> 20);
}

} // namespace

unsigned resource_plan::connections_max(unsigned listeners_count) const {
    return (network_aio_slots - network_aio_slots_spare) / 2 / listeners_count;
}

base::expected<resource_plan> plan_resources(const machine_facts& machine, unsigned shards, uint64_t memory_bytes) {
    using base::errc;
    using base::fail;
    const uint64_t smallest = process_overhead_bytes + shard_memory_min;
    if (shards > machine.cores) {
        return fail(errc::invalid_argument,
                    fmt::format("smp = {} is more than the {} core(s) that this process may use", shards, machine.cores));
    }
    if (memory_bytes > machine.memory_bytes) {
        return fail(errc::invalid_argument, fmt::format("memory = {}M is more than this machine (or its control group) has: {}M",
                                                        mib(memory_bytes), mib(machine.memory_bytes)));
    }
    const uint64_t figure = memory_bytes != 0 ? memory_bytes : std::max(machine.memory_bytes / 4, 4 * smallest / 3);
    if (figure < smallest || figure > machine.memory_bytes) {
        return fail(errc::invalid_argument, fmt::format("memory = {}M is not enough: one shard needs {}M, this machine has {}M",
                                                        mib(figure), mib(smallest), mib(machine.memory_bytes)));
    }
    const auto shards_by_memory = static_cast<unsigned>((figure - process_overhead_bytes) / shard_memory_min);
    if (shards > shards_by_memory) {
        return fail(errc::invalid_argument, fmt::format("memory = {}M is not enough for smp = {}: every shard needs {}M",
                                                        mib(figure), shards, mib(shard_memory_min)));
    }

    const uint64_t slots = machine.aio_slots_max - std::min(machine.aio_slots_max, machine.aio_slots_used);
    const auto shards_by_slots =
        static_cast<unsigned>(std::min<uint64_t>(slots / (shard_disk_aio_slots + network_aio_slots_min), 1024));
    if (shards_by_slots < std::max(shards, 1u)) {
        return fail(errc::invalid_argument,
                    fmt::format("the kernel has {} asynchronous I/O slots left, {} shard(s) need {}; raise them: sysctl -w "
                                "fs.aio-max-nr=1048576",
                                slots, std::max(shards, 1u),
                                std::max(shards, 1u) * (shard_disk_aio_slots + network_aio_slots_min)));
    }

    resource_plan plan;
    plan.shards = shards != 0 ? shards : std::min({std::max(machine.cores, 1u), shards_by_memory, shards_by_slots});
    plan.allocator_bytes = figure - process_overhead_bytes;
    // Half of what is left stays for other programs.
    const uint64_t spare = slots / plan.shards - shard_disk_aio_slots;
    plan.network_aio_slots = static_cast<unsigned>(std::clamp<uint64_t>(spare / 2, network_aio_slots_min, network_aio_slots_max));
    return plan;
}

} // namespace server
