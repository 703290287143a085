// Lists of names in parameters, in the spelling of the filter language: usage_user,tag.host,"http code"
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hh"
#include "query/core/filter_ast.hh"

namespace query {

// Of the parameter `parameter`, for the sentence when it is refused. Not empty, at most listed_names_max.
base::expected<std::vector<subject>> parse_names(std::string_view parameter, std::string_view text);

// A name as it is written in a list; the reverse of parse_names for one.
std::string to_text(const subject&);
// The same without quotes, for the head of a column.
std::string to_label(const subject&);

} // namespace query
