#pragma once

#include <seastar/util/log.hh>

namespace server {

inline seastar::logger logger("server");

} // namespace server
