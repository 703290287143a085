// The bounds of what one line, message or point may be. A line over a bound is refused with a reason and counted; its
// neighbours are not touched.
#pragma once

#include <cstddef>

#include "tables/core/limits.hh"

namespace ingest {

// One line of any line-based protocol, without its line end. It is also what a connection must be able to buffer.
constexpr size_t line_bytes_max = size_t{1} << 20;

// Tags of one point. All of them together must fit a PartitionKey, which is the tighter bound.
constexpr size_t tags_max = 64;

// Fields of one point, and of one record: what an entity can hold as properties.
constexpr size_t fields_max = tables::properties_max;

// Names as they were sent. The catalog keeps family names; a field name must also fit a property name once escaped.
constexpr size_t family_name_bytes_max = 255;
constexpr size_t tag_name_bytes_max = 255;
constexpr size_t field_name_bytes_max = 255;

} // namespace ingest
