// What the server did to the data by itself, as records of its own source: GET /v1/tail?from=downtick.
#pragma once

#include <string>

#include <seastar/core/future.hh>

#include "blobs/log_store.hh"

namespace server {

inline const std::string own_source = "downtick";

// Of level notice, now. Durable when it resolves; where that cannot be it is logged instead: what it tells of is done already.
seastar::future<> write_audit_record(blobs::log_store&, std::string message);

} // namespace server
