// The XML of the Blob service: listings and errors; and its small texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ticks.hh"

namespace service {

// What the wire says of a blob.
struct blob_properties {
    std::string name;
    uint64_t bytes = 0;
    uint64_t records_count = 0;
    base::tick first, last;

    // A merge leaves more text under one of the names it had, and nothing else changes it: so name and size are enough.
    std::string etag() const;
};

// What was asked for, as it is told back.
struct blob_list_question {
    std::string prefix;
    std::string delimiter;
    std::string marker;
    size_t results_max = 5'000;
    bool with_metadata = false;
};

struct blob_list_page {
    std::vector<blob_properties> blobs;
    std::vector<std::string> prefixes; // with a delimiter: what stands for the blobs below
    std::string next_marker;
};

std::string blob_list_xml(std::string_view endpoint, std::string_view container, const blob_list_question&,
                          const blob_list_page&);
std::string container_list_xml(std::string_view endpoint, std::string_view container, base::tick modified);
std::string blob_error_xml(std::string_view code, std::string_view message);

// "Mon, 16 Nov 2026 00:59:49 GMT"
std::string http_date(base::tick);

// "bytes=5-", "bytes=5-9" or "bytes=-5" of so many bytes: first and behind the last. Nothing: not a range, or none of them.
struct byte_range {
    uint64_t begin = 0;
    uint64_t end = 0;

    bool operator==(const byte_range&) const = default;
};
std::optional<byte_range> parse_byte_range(std::string_view, uint64_t bytes);

} // namespace service
