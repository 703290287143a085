// Memory that is needed soon comes near while there is other work.
#pragma once

#include <cstddef>

namespace tables {

constexpr size_t cache_line_bytes = 64;

// As many bytes from there on, whole or not. Nothing of null.
inline void prefetch_bytes(const void* at, size_t bytes) {
    if (at == nullptr) {
        return;
    }
    for (size_t i = 0; i < bytes; i += cache_line_bytes) {
        __builtin_prefetch(static_cast<const char*>(at) + i);
    }
}

} // namespace tables
