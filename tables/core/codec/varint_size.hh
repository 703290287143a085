// How many bytes base::put_varint takes: costs are computed, not tried.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tables::codec {

constexpr size_t varint_size(uint64_t value) {
    return static_cast<size_t>(std::bit_width(value | 1) + 6) / 7;
}
static_assert(varint_size(0) == 1 && varint_size(127) == 1 && varint_size(128) == 2 && varint_size(UINT64_MAX) == 10);

} // namespace tables::codec
