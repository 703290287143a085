// The bounds of what one line, message or point may be. A line over a bound is refused with a reason and counted; its
// neighbours are not touched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tables/core/family/tag.hh"
#include "tables/core/limits.hh"

namespace ingest {

// One line of any line-based protocol, without its line end. It is also what a connection must be able to buffer.
constexpr size_t line_bytes_max = size_t{1} << 20;

// Tags of one point: what a series can be made of.
constexpr size_t tags_max = tables::tags_max;

// Fields of one point, and of one record: what an entity can hold as properties.
constexpr size_t fields_max = tables::properties_max;

// Names as they were sent. The catalog keeps family names; a field name must also fit a property name once escaped.
constexpr size_t family_name_bytes_max = 255;
constexpr size_t tag_name_bytes_max = 255;
constexpr size_t field_name_bytes_max = 255;

// What one server keeps apart. Each family costs some KiB on every shard and a table for each period; each series some bytes
// there and a partition. Only these bounds stand between a sender that puts request ids into tags and the memory of all.
constexpr size_t families_max = 10'000;
constexpr size_t periods_per_family_max = 4'000;
constexpr size_t series_per_family_max = 1'000'000; // of one period, seen by one shard since it started; see series_max, too

// How far ahead of the clock a point may be.
constexpr int64_t future_ns_max = 86'400'000'000'000;

// A row batch is sent on its way at this size, so that its buffer, which doubles, stays within 128 KiB. Only a single large point
// makes a larger one.
constexpr size_t batch_bytes_max = size_t{60} << 10;

} // namespace ingest
