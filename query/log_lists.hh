// GET /v1/sources and /v1/blobs: what there is of logs.
#pragma once

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "blobs/log_store.hh"
#include "http/handler.hh"

namespace query {

// {"sources":[{"source":...,"records":...,"raw_bytes":...,"stored_bytes":...,"blobs":...,"first":...,"last":...}],"cursor":...}
seastar::future<> answer_sources(seastar::sharded<blobs::log_store>&, http::request&, http::reply_writer&);

// ?prefix=. Open buffers are among them, with "state":"open":
// {"blobs":[{"name":...,"source":...,"state":"sealed","records":...,"raw_bytes":...,"stored_bytes":...,"first":...,"last":...}],...}
seastar::future<> answer_blobs(seastar::sharded<blobs::log_store>&, http::request&, http::reply_writer&);

// GET /v1/blobs/{name}: the text of its records, a line feed behind each. The name is one segment, its slashes escaped.
seastar::future<> answer_blob_text(seastar::sharded<blobs::log_store>&, std::string name, http::reply_writer&);

} // namespace query
