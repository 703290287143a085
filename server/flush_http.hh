// POST /v1/flush: what is only in memory and in the logs goes into segments and blobs now, and the answer (204) comes when it is
// there. Nobody needs it for safety: what was acknowledged is in the logs. It makes the next start short, and a measurement
// whole.
#pragma once

#include <seastar/core/sharded.hh>

#include "blobs/log_store.hh"
#include "http/router.hh"
#include "tables/engine.hh"

namespace server {

// On any shard; both outlive the router.
void add_flush_route(http::router&, seastar::sharded<tables::engine>&, seastar::sharded<blobs::log_store>&);

} // namespace server
