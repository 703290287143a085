// Residuals whose upper bits are few different numbers, some more frequent than others: those as a prefix code, the lower bits
// packed. Walks, counters and noise have such residuals, and take as many bits each as they tell, not as the widest needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tables/core/codec/prefix_code.hh"

namespace tables::codec {

// residual = symbol << low_bits | low; those that have no symbol are patches.
struct int_codes {
    uint64_t base = 0; // among the quotients
    uint8_t low_bits = 0;
    uint8_t patch_width = 0;
    uint8_t stand_in = 0; // the symbol at the place of a patch, where any would do: the most frequent one
    uint32_t patches_count = 0;
    prefix_code code;
    prefix_code::lane_sizes lanes{};

    static constexpr uint64_t symbols_max = prefix_code::symbols_max;
    static constexpr unsigned low_bits_max = 20; // more would leave little to the code
    // The code and its lanes.
    size_t size() const { return code.size() + prefix_code::lanes_size(lanes); }
};

// For residuals from this base on. Nothing when fewer than two symbols occur or most residuals would be patches.
std::optional<int_codes> choose_codes(std::span<const uint64_t> quotients, uint64_t base, unsigned low_bits);

} // namespace tables::codec
