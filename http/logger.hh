#pragma once

#include <seastar/util/log.hh>

namespace http {

inline seastar::logger logger("http");

} // namespace http
