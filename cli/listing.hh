// Lists of a server, whole: page after page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "cli/connection.hh"
#include "cli/row_table.hh"

namespace cli {

// `member` is what the list is called in the reply.
base::expected<std::vector<flat_row>> read_list(const connection_options&, const std::string& path, const std::string& member);

// Null when the row has none of that name.
const flat_row::cell* cell_of(const flat_row&, std::string_view name);
bool has_cell(const flat_row&, std::string_view name, std::string_view text);

} // namespace cli
