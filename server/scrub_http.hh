// /v1/scrub: is what is stored still what was written?
//
//   POST /v1/scrub     verifies everything now, and answers when done
//   GET  /v1/scrub     what the last pass found
//
//   {"running":false,"last":{"verified_as_of","seconds","files","bytes","damaged","damage":[...],"message"}}      last: null
//   before the first
#pragma once

#include "compaction/scrubber.hh"
#include "http/router.hh"

namespace server {

// On any shard; `verifier` lives on shard 0 and outlives the router.
void add_scrub_routes(http::router&, compaction::scrubber& verifier);

} // namespace server
