// Copies that are mostly of a few bytes, where a call of memcpy takes longer than what it does.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace blobs {

// Says where it ended.
inline char* copy_bytes(std::string_view from, char* to) {
    const size_t size = from.size();
    if (size > 16) {
        std::memcpy(to, from.data(), size);
    } else if (size >= 8) {
        std::memcpy(to, from.data(), 8);
        std::memcpy(to + size - 8, from.data() + size - 8, 8);
    } else if (size >= 4) {
        std::memcpy(to, from.data(), 4);
        std::memcpy(to + size - 4, from.data() + size - 4, 4);
    } else {
        for (size_t i = 0; i < size; ++i) {
            to[i] = from[i];
        }
    }
    return to + size;
}

} // namespace blobs
