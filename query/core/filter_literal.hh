// The text of one literal -> its value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "query/core/filter_ast.hh"
#include "query/core/filter_lexer.hh"

namespace query {

// Of a string, datetime, guid, binary or number token; nothing when the text is not a value of that kind.
//
// A number is Int32, or Int64 when it does not fit or ends in L, or Double when it has a fraction, an exponent or one of
// the suffixes d, f, m. What overflows is no value.
std::optional<literal> read_literal(const token&);

// Between the quotes of a typed literal, as written: datetime'2026-11-16' -> 2026-11-16.
std::string_view quoted_body(const token&);

// What stands between quotes of either kind, doubled ones made single. Needs: opens and closes with `quote`.
std::string unquote(std::string_view quoted, char quote);

} // namespace query
