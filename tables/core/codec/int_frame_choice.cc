#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <functional>
#include <numeric>

#include "tables/core/codec/bit_packing.hh"
#include "tables/core/codec/extremes.hh"
#include "tables/core/codec/int_frame.hh"
#include "tables/core/codec/limits.hh"
#include "tables/core/codec/vectors.hh"

namespace tables::codec {
namespace {

uint64_t common_divisor(std::span<const int64_t> values, int64_t least) {
    uint64_t divisor = 0;
    for (const int64_t v : values) {
        const uint64_t distance = unsigned_of(v) - unsigned_of(least);
        if (divisor == 0 || distance % divisor != 0) { // once found it stays, and one division is cheaper than a gcd
            divisor = std::gcd(divisor, distance);
        }
        if (divisor == 1) {
            break;
        }
    }
    return divisor;
}

struct choice {
    uint64_t base = 0; // among the quotients
    uint32_t patches_count = 0;
    uint8_t width = 0;
    uint8_t patch_width = 0;
    size_t size = SIZE_MAX;
};

using width_counts = std::array<uint32_t, width_max + 1>;

// The place of the highest bit of 2x + 1 is the width of x, and the processor finds it without a case for 0. With the highest bit
// set that is one too few: those are counted beside it.
void count_width(uint64_t x, width_counts& counts, uint32_t& full) {
    const uint64_t top = x & (uint64_t{1} << (width_max - 1));
    ++counts[static_cast<unsigned>(width_max - 1 - std::countl_zero(x << 1 | 1 | top))];
    full += top != 0 ? 1 : 0;
}

// How many residuals have each width. Neighbours mostly fall into one bucket, so two tables take turns: an increment need not
// wait for the one before.
width_counts count_widths(std::span<const uint64_t> quotients, uint64_t base) {
    width_counts even{};
    width_counts odd{};
    uint32_t full = 0;
    size_t i = 0;
    for (; i + 2 <= quotients.size(); i += 2) {
        count_width(quotients[i] - base, even, full);
        count_width(quotients[i + 1] - base, odd, full);
    }
    if (i < quotients.size()) {
        count_width(quotients[i] - base, even, full);
    }
    std::ranges::transform(even, odd, even.begin(), std::plus<>());
    even[width_max - 1] -= full;
    even[width_max] = full;
    return even;
}

// Of zigzag patches above `width`. Residuals below the base wrap around to 64 bits; the furthest of them is the one of the
// least value, -base.
unsigned patch_width_for(std::span<const uint32_t> counts, unsigned width, uint64_t base) {
    const unsigned below = counts[width_max] == 0 ? 0 : static_cast<unsigned>(std::bit_width(2 * base - 1));
    unsigned above = width_max - 1;
    while (above > width && counts[above] == 0) {
        --above;
    }
    return std::max(below, above == width ? 0 : above + 1);
}

// Exact. Needs: the least quotient is 0 and `most` the largest.
choice cheapest_width(std::span<const uint64_t> quotients, uint64_t most, uint64_t base) {
    const auto counts = count_widths(quotients, base);
    const bool is_far = most - base > INT64_MAX; // then 64 bits also stand for residuals above the base
    choice best;
    uint32_t patches_count = 0;
    for (unsigned width = width_max + 1; width-- > 0;) {
        const unsigned patch_width = patches_count == 0 ? 0 : is_far ? width_max : patch_width_for(counts, width, base);
        const size_t size = packed_size(quotients.size(), width) +
                            (patches_count == 0 ? 0 : patches_size(quotients.size(), patches_count, patch_width));
        if (size < best.size) {
            best = {base, patches_count, static_cast<uint8_t>(width), static_cast<uint8_t>(patch_width), size};
        }
        patches_count += counts[width];
    }
    return best;
}

constexpr size_t frame_sample_max = 64;

struct window {
    uint64_t base = 0;
    size_t cost_bits = SIZE_MAX; // for the sample
};

// A few values far from the rest would make all residuals wide: leaves out some at either end of the sample and takes the cut
// that seems cheapest. The base puts the window's slack on both its sides.
window cheapest_window(std::span<const uint64_t> sorted, unsigned place_bits) {
    const size_t patch_bits = place_bits + 1 + static_cast<size_t>(std::bit_width(sorted.back() - sorted.front()));
    constexpr std::array<size_t, 7> cuts{0, 1, 2, 4, 8, 12, 16};
    window best;
    for (const size_t low : cuts) {
        for (const size_t high : cuts) {
            if (low + high >= sorted.size()) {
                break;
            }
            const uint64_t range = sorted[sorted.size() - 1 - high] - sorted[low];
            const auto width = static_cast<unsigned>(std::bit_width(range));
            const size_t cost_bits = sorted.size() * width + (low + high) * patch_bits;
            if (cost_bits < best.cost_bits) {
                const uint64_t slack = (width == width_max ? ~uint64_t{0} : (uint64_t{1} << width) - 1) - range;
                best = {sorted[low] - std::min(sorted[low], slack / 2), cost_bits};
            }
        }
    }
    return best;
}

std::span<const uint64_t> quotients_of(std::span<const int64_t> values, const frame_guess& guess, words& out) {
    for (size_t i = 0; i < values.size(); ++i) {
        out[i] = unsigned_of(values[i]) - unsigned_of(guess.least);
    }
    if (guess.divisor != 1) {
        for (size_t i = 0; i < values.size(); ++i) {
            out[i] /= guess.divisor;
        }
    }
    return {out.data(), values.size()};
}

// Narrower ones tell too little for a code, of wider ones it can save only a small part, and a few values do not pay for it.
constexpr unsigned coded_width_min = 2;
constexpr unsigned coded_width_max = int_codes::low_bits_max;
constexpr size_t coded_count_min = 64;
constexpr size_t coded_saving_part = 64;

unsigned low_bits_for(unsigned width) {
    constexpr unsigned symbol_bits = std::bit_width(int_codes::symbols_max - 1);
    return width < symbol_bits ? 0 : width - symbol_bits;
}

size_t coded_size(const int_codes& c, size_t count) {
    return c.size() + packed_size(count, c.low_bits) +
           (c.patches_count == 0 ? 0 : patches_size(count, c.patches_count, c.patch_width));
}

// Over everything, where that is not much wider than the bulk; and over the bulk and as much again.
std::optional<int_codes> cheapest_codes(std::span<const uint64_t> quotients, uint64_t most, uint64_t bulk_base,
                                        const int_frame& packed) {
    constexpr unsigned much_wider = 3;
    std::optional<int_codes> best;
    const auto range_width = static_cast<unsigned>(std::bit_width(most));
    if (range_width <= packed.width + much_wider) {
        best = choose_codes(quotients, 0, low_bits_for(range_width));
    }
    if (packed.has_patches()) {
        const unsigned low_bits = low_bits_for(packed.width + 1);
        const uint64_t slack = (int_codes::symbols_max << low_bits) - (uint64_t{1} << packed.width);
        const auto bulk = choose_codes(quotients, bulk_base - std::min(bulk_base, slack / 2), low_bits);
        if (bulk && (!best || coded_size(*bulk, quotients.size()) < coded_size(*best, quotients.size()))) {
            best = bulk;
        }
    }
    return best;
}

} // namespace

frame_guess guess_frame(std::span<const int64_t> values) {
    assert(!values.empty() && values.size() <= vector_size);
    const auto [least, most] = extremes_of(values);
    if (least == most) {
        return {.least = least};
    }
    frame_guess guess{.least = least, .divisor = common_divisor(values, least), .is_constant = false};
    std::array<uint64_t, frame_sample_max> sample{};
    const size_t step = (values.size() + frame_sample_max - 1) / frame_sample_max;
    size_t size = 0;
    for (size_t i = step / 2; i < values.size(); i += step) {
        sample[size++] = (unsigned_of(values[i]) - unsigned_of(least)) / guess.divisor;
    }
    std::sort(sample.begin(), sample.begin() + size);
    const auto best = cheapest_window({sample.data(), size}, place_width(values.size()));
    guess.most = (unsigned_of(most) - unsigned_of(least)) / guess.divisor;
    guess.base = best.base;
    guess.size_bits = best.cost_bits * values.size() / size;
    return guess;
}

int_frame choose_frame(std::span<const int64_t> values, const frame_guess& guess) {
    if (guess.is_constant) {
        return {.base = guess.least};
    }
    words scratch;
    const auto quotients = quotients_of(values, guess, scratch);
    auto best = cheapest_width(quotients, guess.most, 0);
    if (guess.base != 0) {
        const auto other = cheapest_width(quotients, guess.most, guess.base);
        best = other.size < best.size ? other : best;
    }
    return {.base = static_cast<int64_t>(unsigned_of(guess.least) + guess.divisor * best.base),
            .divisor = guess.divisor,
            .patches_count = best.patches_count,
            .width = best.width,
            .patch_width = best.patch_width};
}

std::optional<int_frame> choose_coded(std::span<const int64_t> values, const frame_guess& guess, const int_frame& packed) {
    if (packed.width < coded_width_min || packed.width > coded_width_max || values.size() < coded_count_min) {
        return std::nullopt;
    }
    words scratch;
    const auto quotients = quotients_of(values, guess, scratch);
    const uint64_t bulk_base = (unsigned_of(packed.base) - unsigned_of(guess.least)) / guess.divisor;
    auto codes = cheapest_codes(quotients, guess.most, bulk_base, packed);
    if (!codes) {
        return std::nullopt;
    }
    int_frame coded{.base = static_cast<int64_t>(unsigned_of(guess.least) + guess.divisor * codes->base),
                    .divisor = guess.divisor,
                    .patches_count = codes->patches_count,
                    .width = codes->low_bits,
                    .patch_width = codes->patch_width,
                    .codes = std::move(codes)};
    const size_t size = frame_size(coded, values.size());
    return size + size / coded_saving_part <= frame_size(packed, values.size()) ? std::optional(std::move(coded)) : std::nullopt;
}

} // namespace tables::codec
