// Continuation tokens: the key of the next row to look at, in a form that survives headers and every client.
//
//   token = "1!" length "!" base64        base64 of the UTF-8 key with + / = written * _ -, length of that text
//
// Always ASCII, never empty and without a blank: JS stops paging at an empty NextPartitionKey, .NET joins and splits the two
// tokens at a blank. A token is a position only and pins nothing; the row it names may be gone when it comes back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/core/service_error.hh"

namespace service {

// Where the next page begins, inclusive. Without a row key: at the first row of the partition.
struct entity_position {
    std::string partition_key;
    std::optional<std::string> row_key;

    bool operator==(const entity_position&) const = default;
};

std::string to_token(std::string_view key);

// InvalidInput for what is not a token of ours, or not of a key.
outcome<std::string> parse_token(std::string_view);

// From NextPartitionKey and NextRowKey; an empty value counts as an absent one (old clients send `NextRowKey=`).
// Nothing: from the start. InvalidInput: a row key alone, or a bad token.
outcome<std::optional<entity_position>> parse_entity_position(std::optional<std::string_view> next_partition_key,
                                                              std::optional<std::string_view> next_row_key);

} // namespace service
