#pragma once

#include <seastar/util/log.hh>

namespace compaction {

inline seastar::logger logger("compaction");

} // namespace compaction
