// Log records over HTTP.
#pragma once

#include <string>

#include <seastar/core/future.hh>

#include "http/handler.hh"
#include "ingest/intake.hh"

namespace ingest {

// POST /v1/logs/{source}. application/x-ndjson and application/json: an object a line, as on the JSON lines port; anything else:
// a record a line. 204 when all of them are on stable storage, or 400 that names the bad lines: the good ones are stored all the
// same. A request that is sent again may store its records twice.
seastar::future<> answer_logs(intake&, std::string source, http::request&, http::reply_writer&);

} // namespace ingest
