// Every registered metric of every shard in the Prometheus text format.
#pragma once

#include <string>

#include <seastar/core/future.hh>

namespace server {

// Our own groups (named after folders) get the prefix downtick_, the framework's seastar_.
seastar::future<std::string> metrics_text();

} // namespace server
