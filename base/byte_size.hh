// Sizes as people write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hh"

namespace base {

// "512M", "2G", "1.5G", "1048576": bytes.
expected<uint64_t> parse_bytes(std::string_view text);

} // namespace base
