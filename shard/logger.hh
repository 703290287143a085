#pragma once

#include <seastar/util/log.hh>

namespace shard {

inline seastar::logger logger("shard");

} // namespace shard
