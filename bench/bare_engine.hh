// The table engine without a server around it, for programs that measure it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "tables/engine.hh"

namespace bench {

// On all shards. Throws when the directory cannot be opened. The cache is that of the whole process.
seastar::future<> start_engine(seastar::sharded<tables::engine>&, std::string directory, size_t cache_bytes);

// Runs it in a reactor on all cores, over a directory that is empty before and gone after. The status to exit with.
int run_on_empty(const std::string& directory, std::function<seastar::future<>()>);

} // namespace bench
