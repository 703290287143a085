// The reply to POST /$batch, byte for byte as official clients read it: JS splits at the text "changesetresponse_" and takes
// any JSON in a part for a failure, .NET reads the index of the failed operation off the message.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/ticks.hh"
#include "service/core/accept.hh"
#include "service/core/metadata_level.hh"
#include "service/core/service_error.hh"
#include "service/core/text_sink.hh"

namespace service {

// "multipart/mixed; boundary=batchresponse_<id>": the Content-Type of the reply as a whole.
std::string batch_content_type(std::string_view batch_id);

// What an insert answers.
struct insert_reply {
    std::string_view location; // URL of the entity
    base::tick timestamp;
    preference preferred = preference::none;
    metadata_level level = metadata_level::minimal; // of the entity
    std::string_view entity;                        // JSON; not sent with return_no_content
};

struct failure_reply {
    service_error error;
    size_t index = 0;            // of the operation that failed
    size_t operations_count = 1; // of the transaction
    preference preferred = preference::none;
    metadata_level level = metadata_level::minimal;
    error_stamp stamp;
};

// A changeset: one part for each operation, in order; or, when one failed, that one's part alone. Appends to `out`.
// `content_id` is the inner header of the operation's request, where it had one.
class changeset_reply {
public:
    changeset_reply(std::string& out, std::string_view batch_id, std::string_view changeset_id);

    void add_insert(const insert_reply&, std::optional<std::string_view> content_id);
    void add_update(base::tick timestamp, std::optional<std::string_view> content_id);
    void add_delete(std::optional<std::string_view> content_id);
    void add_failure(const failure_reply&, std::optional<std::string_view> content_id);
    void finish();

private:
    void begin_part(text_sink&, unsigned status, std::optional<std::string_view> content_id, preference);

    std::string& _out;
    const std::string _batch_boundary;
    const std::string _changeset_boundary;
};

// What a batch of one GET answers.
struct query_reply {
    metadata_level level = metadata_level::minimal;
    std::optional<base::tick> timestamp;                // of a single entity
    std::optional<std::string_view> next_partition_key; // tokens of a set
    std::optional<std::string_view> next_row_key;
    std::string_view json;
};

void append_query_reply(std::string& out, std::string_view batch_id, const query_reply&);
void append_query_failure(std::string& out, std::string_view batch_id, const service_error&, metadata_level, const error_stamp&);

// "3:" before the message of the failed operation; nothing for a lone operation that failed at its row.
std::string failure_prefix(service_code, size_t index, size_t operations_count);

} // namespace service
