// One log record, borrowed. Its *text* is what came in, byte for byte, and what a blob gives back: the whole line of syslog, the
// JSON of a JSON line, a plain line; without the line end that framed it. Everything else was read out of it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/value.hh"

namespace blobs {

// Severity as in syslog, 0 emerg .. 7 debug.
constexpr uint8_t level_none = 8;
constexpr unsigned levels_count = 9;
// A set of levels: bit l for level l, and bit 8 for those without one.
using level_set = uint16_t;
constexpr level_set all_levels = (1u << levels_count) - 1;
constexpr level_set level_bit(uint8_t level) {
    return static_cast<level_set>(1u << level);
}

// The order inside a source. A lane is one shard's part of it; the sequence counts the records of the lane, so that no two
// records of a source share all three.
struct record_order {
    int64_t time_ns = 0; // since 1970
    uint32_t lane = 0;
    uint64_t sequence = 0;

    constexpr auto operator<=>(const record_order&) const = default;
};

struct record {
    record_order order;
    uint8_t level = level_none;
    std::string_view host;
    std::string_view app;
    std::string_view text;
    std::string_view message; // most often a part of the text, and then it costs next to nothing
    std::span<const base::property> fields;
};

inline bool same_content(const record& a, const record& b) {
    return a.order == b.order && a.level == b.level && a.host == b.host && a.app == b.app && a.text == b.text &&
           a.message == b.message && std::ranges::equal(a.fields, b.fields, [](const base::property& x, const base::property& y) {
               return x.name == y.name && identical(x.value, y.value);
           });
}

} // namespace blobs
