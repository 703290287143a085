// How the log path is set up in this program.
#pragma once

#include <seastar/core/scheduling.hh>
#include <seastar/core/sharded.hh>

#include "blobs/log_store.hh"
#include "compaction/retention.hh"
#include "http/router.hh"
#include "ingest/intake.hh"

namespace server {

// From this shard's memory.
blobs::log_config log_config_for(seastar::scheduling_group flush, seastar::scheduling_group upkeep, uint64_t log_bytes_max);

// "app", "host" or "fixed:NAME".
base::expected<ingest::syslog_naming> parse_syslog_source(const std::string&);

// Retention of sources: an hour at a time, on all shards.
void add_log_retention(compaction::retention_config&, seastar::sharded<blobs::log_store>&);

// POST /v1/logs/{source} for the intake of this shard, and the listings.
void add_log_routes(http::router&, ingest::intake&, seastar::sharded<blobs::log_store>&);

} // namespace server
