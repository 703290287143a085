// Text -> filter, by the grammar of table-service.md 5.1 and, for the native dialect, what system.md 3 adds to it:
//
//   contains(name,'x')  startswith(name,'x')  endswith(name,'x')  matchesPattern(name,'re2')
//   tag.name  field.name  http.code  "any name"  tag."any name"
//   level le 'error'    a level's name stands for its severity: the literal becomes the Int32 0..7
//   time ge -15m        any text of time_text.hh, in quotes or not, and datetime'..' and 1794821400000000000L (always ns):
//                       the literal becomes the Int64 of nanoseconds since 1970
//
// So a row source of the native API answers `level` with an Int32 and `time` with an Int64, and the evaluator knows of neither.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "query/core/filter_ast.hh"
#include "query/core/filter_error.hh"
#include "query/core/filter_lexer.hh"

namespace query {

// Blank text is the empty filter. `now_ns` (Unix time) is what relative times of the native dialect are taken from.
// Linear in the text; does not recurse.
std::expected<filter, filter_error> parse_filter(std::string_view text, dialect, int64_t now_ns = 0);

} // namespace query
