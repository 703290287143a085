// A log record as a parser hands it out: everything borrowed, from the bytes it was given and from its own scratch memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tables/core/value.hh"

namespace ingest {

// What is not known is empty.
struct record_view {
    std::optional<int64_t> time_ns; // since 1970; nothing: the time of receipt
    std::string_view source;        // only where the protocol names one
    std::optional<uint8_t> level;   // 0 emerg .. 7 debug
    std::optional<uint8_t> facility;
    std::string_view host;
    std::string_view app;
    std::string_view process_id;
    std::string_view message_id;
    std::span<const tables::property> fields; // no name twice
    std::string_view message;                 // the bytes as they came, of any encoding
    std::string_view text;                    // all that came, without what framed it; empty: the message
};

} // namespace ingest
