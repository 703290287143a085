#include "tables/core/codec/int_codes.hh"

#include <algorithm>
#include <bit>

#include "base/coding.hh"

namespace tables::codec {
namespace {

constexpr size_t lanes_count = prefix_code::lanes_count;

// What a window over the quotients holds, by lane, and what is outside of it.
struct census {
    prefix_code::counts symbols{};
    std::array<uint32_t, lanes_count> outside{};
    uint64_t patches = 0; // all of them, or-ed: as wide as the widest

    uint32_t outside_count() const { return outside[0] + outside[1] + outside[2] + outside[3]; }
};

census count(std::span<const uint64_t> quotients, uint64_t base, unsigned low_bits) {
    census c;
    for (size_t i = 0; i < quotients.size(); ++i) {
        const uint64_t residual = quotients[i] - base;
        const uint64_t symbol = residual >> low_bits;
        if (symbol < int_codes::symbols_max) [[likely]] {
            ++c.symbols[i % lanes_count][symbol];
        } else {
            ++c.outside[i % lanes_count];
            c.patches |= base::zigzag(static_cast<int64_t>(residual));
        }
    }
    return c;
}

// The most frequent symbol; nothing when there is only one.
std::optional<uint8_t> find_stand_in(const prefix_code::counts& counts) {
    uint32_t most = 0;
    uint8_t best = 0;
    size_t different = 0;
    for (size_t s = 0; s < int_codes::symbols_max; ++s) {
        uint32_t total = 0;
        for (const auto& lane : counts) {
            total += lane[s];
        }
        different += total != 0 ? 1 : 0;
        if (total > most) {
            most = total;
            best = static_cast<uint8_t>(s);
        }
    }
    return different < 2 ? std::nullopt : std::optional(best);
}

} // namespace

std::optional<int_codes> choose_codes(std::span<const uint64_t> quotients, uint64_t base, unsigned low_bits) {
    auto c = count(quotients, base, low_bits);
    const auto stand_in = find_stand_in(c.symbols);
    if (!stand_in || 2 * c.outside_count() > quotients.size()) {
        return std::nullopt;
    }
    for (size_t lane = 0; lane < lanes_count; ++lane) {
        c.symbols[lane][*stand_in] = static_cast<uint16_t>(c.symbols[lane][*stand_in] + c.outside[lane]);
    }
    int_codes codes{.base = base,
                    .low_bits = static_cast<uint8_t>(low_bits),
                    .patch_width = static_cast<uint8_t>(std::bit_width(c.patches)),
                    .stand_in = *stand_in,
                    .patches_count = c.outside_count(),
                    .code = prefix_code::for_counts(c.symbols)};
    codes.lanes = codes.code.sizes(c.symbols);
    return codes;
}

} // namespace tables::codec
