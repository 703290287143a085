#pragma once

#include <seastar/util/log.hh>

namespace http {

inline seastar::logger log("http");

} // namespace http
