// Few symbols, some of them frequent: each as 1..8 bits that no other begins with. The lengths of the codes say everything (they
// are canonical), and every code is complete: whatever the bits are, they stand for symbols.
//
//   code      = symbols count u8 (up to the last that occurs), packed lengths of 4 bits, 0 for a symbol that does not occur
//   lanes     = 4 * size varint, 4 * lane
//   lane      = codes of every fourth symbol, back to back from the lowest bit of the first byte, the last byte filled with 0
//
// Four lanes, because reading a code has to wait for the one before it: the waits of four overlap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/coding.hh"
#include "tables/core/codec/limits.hh"

namespace tables::codec {

class prefix_code {
public:
    static constexpr unsigned symbols_max = 32;
    static constexpr unsigned length_max = 8;
    static constexpr size_t lanes_count = 4;

    // Of the i-th symbol, in the lane i % lanes_count.
    using counts = std::array<std::array<uint16_t, symbols_max>, lanes_count>;
    using lane_sizes = std::array<size_t, lanes_count>;

    // The best lengths there are. Needs: at least two symbols that occur, vector_size in all at most.
    static prefix_code for_counts(const counts&);

    size_t size() const;
    void put(std::string& out) const;
    // The reader has failed when that is not a code.
    static prefix_code take(base::byte_reader&);

    lane_sizes sizes(const counts&) const;
    static size_t lanes_size(const lane_sizes&);
    void put_lanes(std::span<const uint8_t> symbols, const lane_sizes&, std::string& out) const;
    // Of out.size() <= vector_size symbols. The reader has failed when the lanes do not end with their last symbols.
    void take_lanes(base::byte_reader&, std::span<uint8_t> out) const;

private:
    // By symbol; 0 for one that does not occur.
    std::array<uint8_t, symbols_max> _lengths{};
};

} // namespace tables::codec
