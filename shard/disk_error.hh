// A failure of the disk (an exception inside a future) as the value that the rest of the program passes on.
#pragma once

#include <exception>
#include <string_view>

#include "base/error.hh"

namespace shard {

// out_of_space for a full disk or quota, io_error for everything else. `what` says what was being done.
base::error error_of(const std::exception&, std::string_view what);

} // namespace shard
