// What a request wants done: verb and resource together.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "service/core/resource_url.hh"
#include "service/core/service_error.hh"

namespace service {

enum class verb : uint8_t { get, put, post, merge, remove, options, other };

// Of the request line. PATCH and MERGE are one.
verb parse_verb(std::string_view method);

// The verb that counts: POST with one X-HTTP-Method header acts as what that names. XMethodNotUsingPost,
// XMethodIncorrectCount, XMethodIncorrectValue.
outcome<verb> effective_verb(std::string_view method, std::span<const std::string_view> x_http_method);

enum class operation : uint8_t {
    get_properties,
    set_properties,
    get_stats,
    query_tables,
    get_table,
    create_table,
    delete_table,
    get_acl,
    set_acl,
    query_entities,
    get_entity,
    insert_entity,
    replace_entity,
    merge_entity,
    insert_or_replace_entity,
    insert_or_merge_entity,
    delete_entity,
    batch,
};

enum class if_match_header : bool { absent, present };

// MethodNotAllowed for a verb the resource does not know. Preflights (OPTIONS) are answered before anybody asks here.
outcome<operation> find_operation(const resource&, verb, if_match_header);

// ACL, service properties and stats: bodies and errors are XML, whatever Accept says.
bool is_xml(const resource&);

// The value of Allow in a 405.
std::string_view allowed_methods(const resource&);

// Changes entities, tables or settings: refused on the secondary. A batch is as its operations.
bool is_write(operation);

} // namespace service
