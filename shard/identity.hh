// Who a data directory is. Two copies, so that one damaged block does not make a store unknown.
#pragma once

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "shard/core/identity_record.hh"
#include "shard/disk.hh"

namespace shard {

inline const std::string identity_paths[] = {"identity", "identity.copy"};

// Reads it, or makes it in a directory that has none; `now` is when. A copy that is gone or damaged is written again where that
// is possible. newer_format; corrupt or io_error when there is a copy and none that passes; io_error, out_of_space.
seastar::future<base::expected<identity>> open_identity(disk&, base::tick now);

} // namespace shard
