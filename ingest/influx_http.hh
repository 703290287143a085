// Line protocol over HTTP, and the little that InfluxDB's clients ask before they write.
#pragma once

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>

#include "http/handler.hh"
#include "ingest/intake.hh"

namespace ingest {

// POST /write and /api/v2/write. Lines are read and stored while the body comes in; the reply leaves when all of them are on
// stable storage. 204, or 400 that names the bad lines: the good ones are stored all the same. 503 and 507 are for coming back
// with the whole body: storing a line twice is storing it once.
seastar::future<> answer_write(intake&, http::request&, http::reply_writer&);

// GET and HEAD /ping.
seastar::future<> answer_ping(http::reply_writer&);
// GET /health.
seastar::future<> answer_health(http::reply_writer&);
// GET and POST /query?q=...
seastar::future<> answer_query(http::request&, http::reply_writer&);

} // namespace ingest
