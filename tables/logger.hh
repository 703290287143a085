#pragma once

#include <seastar/util/log.hh>

namespace tables {

inline seastar::logger logger("tables");

} // namespace tables
