// Every maximum of the Table port that is not one of the entity model (those are in tables/core/limits.hh).
#pragma once

#include <cstddef>

#include "tables/core/limits.hh"

namespace service {

// A whole request body, single or transaction. Over it: 413.
constexpr size_t request_body_bytes_max = 4 * 1024 * 1024;
// Members of one JSON object: each property may bring its annotation, and entities that are written back bring the odata
// members and Timestamp. Bounds the work before a name is looked at; over it: TooManyProperties.
constexpr size_t json_members_max = 4 * tables::properties_max;
// Operations of one transaction; the protocol's number.
constexpr size_t batch_operations_max = 100;
// Rows of a page and the largest $top; the protocol's number.
constexpr unsigned page_rows_max = 1000;
// timeout= is cut to this; a request never works longer.
constexpr unsigned timeout_seconds_max = 30;
// Of x-ms-client-request-id, which is echoed.
constexpr size_t client_request_id_bytes_max = 1024;

} // namespace service
