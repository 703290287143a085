// Verifying the log of one shard while it is written to.
#pragma once

#include <seastar/core/future.hh>

#include "shard/disk.hh"
#include "shard/scrub.hh"
#include "shard/wal.hh"

namespace shard {

// Reads all files of this log that are there now, and tells which durable records cannot be read any more. No file leaves
// meanwhile; so it does not go slowly, it waits afterwards. All outlive the future.
seastar::future<> scrub_log(disk&, wal&, scrub&);

} // namespace shard
