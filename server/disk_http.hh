// GET /v1/disk: what the data directory takes, part by part, and what is left.
//
//   {"total_bytes","free_bytes","reserve_bytes","high_water_bytes","used_bytes",
//    "log":{"files","bytes"},"segments":{...},"blobs":{...},"edits":{...}}
//
// The four parts are whole files, room made ahead included, and add up to used_bytes: what `du` counts.
#pragma once

#include <string>

#include <seastar/core/sharded.hh>

#include "blobs/log_store.hh"
#include "http/router.hh"
#include "server/core/disk_plan.hh"
#include "tables/engine.hh"

namespace server {

struct disk_sources {
    std::string data; // the directory
    disk_plan plan;
    seastar::sharded<tables::engine>& tables;
    seastar::sharded<blobs::log_store>& logs;
};

// On any shard; the stores outlive the router.
void add_disk_route(http::router&, disk_sources);

} // namespace server
