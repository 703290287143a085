#pragma once

#include <seastar/util/log.hh>

namespace blobs {

inline seastar::logger logger("blobs");

} // namespace blobs
