// One checksum for everything on disk: XXH3, 64 bits (or its low half where four bytes are enough).
#pragma once

#include <cstdint>
#include <string_view>

namespace base {

// The seed ties bytes to their place (a file's id, say), so that stale bytes of a reused file do not pass.
uint64_t checksum64(std::string_view bytes, uint64_t seed = 0);
uint32_t checksum32(std::string_view bytes, uint64_t seed = 0);

// A stable hash for placement and filters: its values are on disk, so it never changes.
uint64_t stable_hash(std::string_view bytes);

} // namespace base
