// Unsigned integers of one width, 0..64 bits each, back to back from the lowest bit up. Sixty-four values take exactly `width`
// 64-bit words, so there is one fully unrolled kernel for each width and no value is ever looked for by division.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tables::codec {

constexpr unsigned width_max = 64;

constexpr size_t packed_size(size_t count, unsigned width) {
    return (count * width + 7) / 8;
}

// What an index into `count` > 0 things takes.
constexpr unsigned place_width(size_t count) {
    return static_cast<unsigned>(std::bit_width(count - 1));
}

// Appends packed_size bytes. Needs: every value below 2^width.
void pack(std::span<const uint64_t> values, unsigned width, std::string& out);

// Needs: width <= width_max and exactly packed_size(out.size(), width) bytes; reads nothing else.
void unpack(std::string_view packed, unsigned width, std::span<uint64_t> out);

} // namespace tables::codec
