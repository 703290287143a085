// /v1/snapshot: a second store that shares its files with this one.
//
//   POST /v1/snapshot?dir=/absolute/path     {"dir","files","logs","seconds"}
#pragma once

#include "http/router.hh"
#include "server/snapshots.hh"

namespace server {

// On any shard; `taker` lives on shard 0 and outlives the router.
void add_snapshot_routes(http::router&, snapshots& taker);

} // namespace server
