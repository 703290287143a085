// Watches the free space of the disk, so that writes stop with a clear error before the disk does: reads, drops and the edits
// they need go on with what is left. One on each shard.
#pragma once

#include <chrono>
#include <cstdint>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "shard/disk.hh"

namespace shard {

class disk_guard {
public:
    // The disk must outlive it. With a reserve of 0 it never looks.
    disk_guard(disk&, uint64_t reserve_bytes, std::chrono::milliseconds every = std::chrono::milliseconds(200));

    // Looks once, and then every so often.
    seastar::future<> start();
    seastar::future<> stop();

    // True from the moment less than the reserve is free until there is a quarter more than that: not every freed block makes
    // writers try again.
    bool is_low() const { return _is_low; }
    // out_of_space, with what to do about it.
    base::error why() const;

private:
    seastar::future<> look();

    disk& _disk;
    const uint64_t _reserve_bytes;
    const std::chrono::milliseconds _every;
    uint64_t _free_bytes = 0;
    bool _is_low = false;
    seastar::timer<> _timer;
    seastar::gate _work;
};

} // namespace shard
