// The words parsers and their callers share.
#pragma once

#include <cstdint>

namespace ingest {

// What a parser's next() found. need_more: nothing is left to take before more bytes come (or at all, at the end of the input).
enum class line_step : uint8_t { point, record, bad_line, need_more };

// Whether more bytes can follow those at hand. At the end a last line needs no line break; so say yes only when the sender has
// finished, not when the connection broke: half a line can look like a whole one.
enum class input_end : uint8_t { no, yes };

} // namespace ingest
