// The query options and plain headers that all operations share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/core/query_string.hh"
#include "service/core/continuation.hh"
#include "service/core/selection.hh"
#include "service/core/service_error.hh"

namespace service {

struct query_options {
    std::string filter;                    // blank: none
    selection select;                      // of entities
    unsigned rows_max = 0;                 // of this page: $top, or the protocol's page; 0 means an empty page without tokens
    std::optional<entity_position> next;   // of an entity query
    std::optional<std::string> next_table; // of a table query
};

// InvalidInput: a bad $top or token, a $select that is not UTF-8, an option beginning with $ that nobody knows. NotImplemented:
// $orderby and its like, which must not be ignored. Other unknown names mean nothing.
outcome<query_options> parse_query_options(const http::query_string&);

// `timeout` in seconds, at most 30; 30 without one. InvalidQueryParameterValue: not a number above zero.
outcome<unsigned> parse_timeout_seconds(const http::query_string&);

// x-ms-version: any date from 2009-04-14 on, known to us or not. InvalidHeaderValue.
outcome<void> check_version(std::optional<std::string_view> version);

// x-ms-client-request-id is echoed when it is short and visible.
bool is_echoed(std::string_view client_request_id);

} // namespace service
