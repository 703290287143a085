// Who gets how much of the machine: memory, processor, connections and disk, given out to the parts of one server.
#pragma once

#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/scheduling.hh>

#include "compaction/runner.hh"
#include "http/config.hh"
#include "query/executor.hh"
#include "server/core/disk_plan.hh"
#include "server/core/resources.hh"
#include "server/core/settings.hh"
#include "tables/engine.hh"

namespace server {

// Of the processor, when all are busy, against 1000 for those who write or wait for a short answer. Writers wait for memory until
// what they wrote is in files, so that comes before queries that read much, and both before merging.
constexpr float flush_shares = 1000;
constexpr float query_shares = 100;
constexpr float upkeep_shares = 100;
// Requests for partitions that most requests are for: they wait for the others, and go on slowly should those take everything.
constexpr float crowd_shares = 100;

// Of the disk that the data directory is on.
seastar::future<disk_plan> disk_plan_for(settings);

// Their memory is a part of this shard's.
tables::engine_config engine_config_for(const settings&, const disk_plan&, seastar::scheduling_group flush);
compaction::runner_config merging_config_for(seastar::scheduling_group upkeep);
// Its memory is a part of the whole process's.
query::executor_config query_config_for(const settings&, const resource_plan&, seastar::scheduling_group);

http::server_config http_config_for(std::string face, const resource_plan&);
// Of one shard, all TCP ports for lines together.
unsigned line_connections_max(const resource_plan&);

} // namespace server
