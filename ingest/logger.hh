#pragma once

#include <seastar/util/log.hh>

namespace ingest {

inline seastar::logger log("ingest");

} // namespace ingest
