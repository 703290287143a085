// A place for a name in a small table of those that were seen last. It only chooses: what is there is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace blobs {

// Cheaper than a hash, and the last two bytes tell most names apart.
constexpr size_t name_place(std::string_view name) {
    return name.size() < 2 ? name.size()
                           : static_cast<uint8_t>(name.back()) + size_t{31} * static_cast<uint8_t>(name[name.size() - 2]);
}

} // namespace blobs
