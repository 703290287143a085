// Which properties of a table's rows an answer needs: what a scan leaves out costs nothing on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/core/native/plan.hh"

namespace query {

// Nothing: all of them. What only `where` looks at is not among them; it is done with before the rows are cut.
std::optional<std::vector<std::string>> stored_columns(const plan&, uint32_t part);

// The property of a field, in a table of that kind; nothing when no row can have it. Of a record a name alone may be that of its
// head, field.x is not.
std::optional<std::string> stored_name(origin_kind, std::string_view field, name_scope = name_scope::any);

} // namespace query
