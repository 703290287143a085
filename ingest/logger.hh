#pragma once

#include <seastar/util/log.hh>

namespace ingest {

inline seastar::logger logger("ingest");

} // namespace ingest
