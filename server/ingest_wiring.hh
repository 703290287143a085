// How the intake is set up in this program.
#pragma once

#include <functional>

#include "http/router.hh"
#include "ingest/intake.hh"
#include "server/core/resources.hh"
#include "server/core/settings.hh"

namespace server {

ingest::intake_config intake_config_for(const settings&, size_t connections_max);

// Line protocol on the native port, for the intake of this shard.
void add_ingest_routes(http::router&, ingest::intake&);

} // namespace server
