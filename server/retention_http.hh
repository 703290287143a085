// /v1/retention: what is kept how long, and dropping what is not.
//
//   GET    /v1/retention                        {"policies":[{"name","period","keep","max_bytes"}],"automatic":true}
//   PUT    /v1/retention/{name}                 {"period":"1d","keep":"30d","max_bytes":...}; each may be left away
//   DELETE /v1/retention/{name}                 keeps everything again
//   POST   /v1/retention/run[?dry_run=true]     {"dropped":[{"table","end","bytes","reason"}],"bytes":...,"failures":[...]}
#pragma once

#include "compaction/retention.hh"
#include "http/router.hh"

namespace server {

// On any shard; `keeper` lives on shard 0 and outlives the router.
void add_retention_routes(http::router&, compaction::retention& keeper);

} // namespace server
