#include "base/checksum.hh"

#include <xxhash.h>

namespace base {

uint64_t checksum64(std::string_view bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint32_t checksum32(std::string_view bytes, uint64_t seed) {
    return static_cast<uint32_t>(checksum64(bytes, seed));
}

uint64_t stable_hash(std::string_view bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace base
