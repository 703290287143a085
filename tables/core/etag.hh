// ETags: an entity's Timestamp, dressed. W/"datetime'2026-11-16T09%3A30%3A00.1234567Z'"
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/ticks.hh"

namespace tables {

std::string etag_text(base::tick timestamp);

// One well-formed ETag as a client sent it.
struct etag {
    // The timestamp it was made from; nothing when no entity of ours can have this ETag.
    std::optional<base::tick> timestamp;

    bool matches(base::tick current) const { return timestamp == current; }
};

// W/"..." with one value. invalid_argument for anything else: a strong "...", a list, no quotes, and also "*", which is not an
// ETag. Inside the quotes %3a and a plain ':' count as %3A, and apart from that the text has to be exactly the one we would
// write: another spelling of the same time is another ETag.
base::expected<etag> parse_etag(std::string_view);

} // namespace tables
