// If-Match and If-None-Match of a read: does the client still mean the blob that is there?
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace service {

enum class blob_condition : uint8_t {
    met,
    failed,     // 412: it is another one now
    unmodified, // 304: the client has it
};

// `etag` as it is listed, without quotes. The headers have one or more, with quotes or as a listing shows them, or *.
blob_condition check_blob_conditions(std::optional<std::string_view> if_match, std::optional<std::string_view> if_none_match,
                                     std::string_view etag);

} // namespace service
