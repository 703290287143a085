// `downtick serve`: from arguments to an exit status.
#pragma once

#include <string>
#include <vector>

namespace server {

int serve(const std::vector<std::string>& args);

} // namespace server
