// What a request is about: the path behind the account, and the two query parameters that change its meaning.
//
//   ""  Tables  Tables('T')  T  T()  T(PartitionKey='p',RowKey='r')  $batch        each may end with one '/'
//
// The path is split at literal slashes first and percent-decoded once; key literals are then scanned, never searched for:
// everything but the quote (doubled inside) may stand in one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "service/core/service_error.hh"
#include "service/core/text_sink.hh"

namespace service {

struct properties_resource {
    bool operator==(const properties_resource&) const = default;
};
struct stats_resource {
    bool operator==(const stats_resource&) const = default;
};
struct table_set_resource {
    bool operator==(const table_set_resource&) const = default;
};
struct batch_resource {
    bool operator==(const batch_resource&) const = default;
};
struct table_resource {
    std::string table;
    bool operator==(const table_resource&) const = default;
};
struct acl_resource {
    std::string table;
    bool operator==(const acl_resource&) const = default;
};
struct entity_set_resource {
    std::string table;
    bool operator==(const entity_set_resource&) const = default;
};
struct entity_resource {
    std::string table;
    std::string partition_key;
    std::string row_key;
    bool operator==(const entity_resource&) const = default;
};

using resource = std::variant<properties_resource, stats_resource, table_set_resource, batch_resource, table_resource,
                              acl_resource, entity_set_resource, entity_resource>;

// `raw_path` is account_part::resource_path; `restype` and `comp` are the decoded query parameters. Keys come out checked;
// table names do not: one that cannot exist is simply not found.
outcome<resource> parse_resource(std::string_view raw_path, std::optional<std::string_view> restype,
                                 std::optional<std::string_view> comp);

// Cities(PartitionKey='at',RowKey='wien'): quotes doubled, what a URL cannot hold percent-encoded. Needs a table name that
// exists; the result is then ASCII, and safe inside JSON and header lines.
void put_entity_path(text_sink&, std::string_view table, std::string_view partition_key, std::string_view row_key);
// Tables('Cities')
void put_table_path(text_sink&, std::string_view table);

} // namespace service
