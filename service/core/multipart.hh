// The body of POST /$batch -> its operations, as views into the body.
//
//   --batch_1                                   the boundary of the request's Content-Type
//   Content-Type: multipart/mixed; boundary=changeset_1
//
//   --changeset_1                               once for each operation
//   Content-Type: application/http
//
//   PUT http://host/acct/T(PartitionKey='p',RowKey='r') HTTP/1.1
//   If-Match: *
//
//   {"a":1}
//   --changeset_1--
//   --batch_1--
//
// or one GET where the changeset stands. Boundaries count at the start of a line only, so what looks like one inside JSON
// stays text. Clients differ in blank lines, in the case of header names, and in whether they close the outer boundary: all
// of that is accepted. The changeset must be closed, or a cut body would run in part.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "service/core/service_error.hh"

namespace service {

struct sub_request {
    std::string_view method;
    std::string_view target; // a URL or a path, its query included
    std::optional<std::string_view> accept;
    std::optional<std::string_view> content_id; // an inner header, to be echoed; not that of the MIME part
    std::optional<std::string_view> content_type;
    std::optional<std::string_view> if_match;
    std::optional<std::string_view> if_none_match;
    std::optional<std::string_view> prefer;
    std::vector<std::string_view> x_http_method;
    std::string_view body; // without blank lines around it
};

enum class batch_kind : uint8_t { changeset, query };

struct batch_request {
    batch_kind kind = batch_kind::changeset;
    // One for a query. Of a changeset at least one and at most batch_operations_max + 1: one too many is enough to know.
    std::vector<sub_request> operations;
};

// InvalidInput for whatever is not that: no boundary, no or several changesets, a GET beside writes, no operation.
outcome<batch_request> parse_batch(std::string_view content_type, std::string_view body);

} // namespace service
