// A point as a parser hands it out: everything borrowed, from the bytes it was given and from its own scratch memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tables/core/family/tag.hh"
#include "tables/core/value.hh"

namespace ingest {

using tables::tag;

struct series_key;

struct point_view {
    std::string_view family;
    std::span<const tag> tags;                // in the order sent; no name twice, no empty value
    std::span<const tables::property> fields; // in the order sent; at least one, no name twice, names as sent
    std::optional<int64_t> time_ns;           // since 1970; nothing: the time of receipt
    // The bytes of the tag set as they were sent, where a protocol has such a thing: equal bytes are equal series, which
    // is what series_cache lives on. Otherwise empty.
    std::string_view raw_tags;
    // Where a parser knows the list of field names: its number. Points of one point_builder that share one have the same names in
    // the same order. Otherwise 0.
    uint64_t names = 0;
    // Where a parser found the raw tags in a series_cache: the series, and then `tags` is empty.
    series_key* series = nullptr;
};

} // namespace ingest
