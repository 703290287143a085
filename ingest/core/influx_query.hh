// The little of InfluxQL that clients send before they write: about databases, of which there is one here, whatever it is called.
#pragma once

#include <string>
#include <string_view>

namespace ingest {

enum class influx_statement { create_database, show_databases, other };

influx_statement classify_influx_query(std::string_view text);

// The reply to a statement that is not `other`, as InfluxDB 1.x words it.
std::string influx_reply(influx_statement);

} // namespace ingest
