#include "tables/core/codec/int_frame.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <functional>
#include <numeric>

#include "tables/core/codec/bit_packing.hh"
#include "tables/core/codec/limits.hh"
#include "tables/core/codec/varint_size.hh"

namespace tables::codec {
namespace {

using words = std::array<uint64_t, vector_size>;

constexpr uint64_t unsigned_of(int64_t v) {
    return static_cast<uint64_t>(v);
}

size_t patches_size(size_t count, uint32_t patches_count, unsigned patch_width) {
    return varint_size(patches_count) + 1 + packed_size(patches_count, place_width(count)) +
           packed_size(patches_count, patch_width);
}

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

// How many residuals have each width. Neighbours mostly fall into one bucket, so two tables take turns: an increment need not
// wait for the one before.
std::array<uint32_t, width_max + 1> count_widths(std::span<const uint64_t> quotients, uint64_t base) {
    std::array<uint32_t, width_max + 1> even{};
    std::array<uint32_t, width_max + 1> odd{};
    size_t i = 0;
    for (; i + 2 <= quotients.size(); i += 2) {
        ++even[std::bit_width(quotients[i] - base)];
        ++odd[std::bit_width(quotients[i + 1] - base)];
    }
    if (i < quotients.size()) {
        ++even[std::bit_width(quotients[i] - base)];
    }
    std::ranges::transform(even, odd, even.begin(), std::plus<>());
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

constexpr size_t sample_max = 64;

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

// Residuals to pack, and beside them the patches.
struct residuals {
    words packed;
    words places;
    words patches;
    size_t patches_count = 0;
};

void split(std::span<const int64_t> values, const int_frame& f, residuals& out) {
    const uint64_t limit = f.width == width_max ? ~uint64_t{0} : (uint64_t{1} << f.width) - 1;
    // Distances are exact multiples, but below the base they are negative: those divide as signed numbers.
    for (size_t i = 0; i < values.size(); ++i) {
        const uint64_t distance = unsigned_of(values[i]) - unsigned_of(f.base);
        const uint64_t residual = !f.has_divisor()      ? distance
                                  : values[i] >= f.base ? distance / f.divisor
                                                        : uint64_t{0} - (uint64_t{0} - distance) / f.divisor;
        if (residual <= limit) {
            out.packed[i] = residual;
            continue;
        }
        out.packed[i] = 0;
        out.places[out.patches_count] = i;
        out.patches[out.patches_count++] = base::zigzag(static_cast<int64_t>(residual));
    }
}

void take_patches(base::byte_reader& in, uint64_t patches_count, unsigned patch_width, std::span<uint64_t> out) {
    const auto places_bytes = in.take(packed_size(patches_count, place_width(out.size())));
    const auto patches_bytes = in.take(packed_size(patches_count, patch_width));
    if (!in.ok()) {
        return;
    }
    words places;
    words patches;
    unpack(places_bytes, place_width(out.size()), {places.data(), patches_count});
    unpack(patches_bytes, patch_width, {patches.data(), patches_count});
    for (size_t i = 0; i < patches_count; ++i) {
        if (places[i] >= out.size()) {
            in.set_failed();
            return;
        }
        out[places[i]] = unsigned_of(base::unzigzag(patches[i]));
    }
}

} // namespace

frame_guess guess_frame(std::span<const int64_t> values) {
    assert(!values.empty() && values.size() <= vector_size);
    const auto [least, most] = std::ranges::minmax(values);
    if (least == most) {
        return {.least = least};
    }
    frame_guess guess{.least = least, .divisor = common_divisor(values, least), .is_constant = false};
    std::array<uint64_t, sample_max> sample{};
    const size_t step = (values.size() + sample_max - 1) / sample_max;
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
    const std::span<uint64_t> quotients(scratch.data(), values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        quotients[i] = unsigned_of(values[i]) - unsigned_of(guess.least);
    }
    if (guess.divisor != 1) {
        for (auto& q : quotients) {
            q /= guess.divisor;
        }
    }
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

size_t frame_size(const int_frame& f, size_t count) {
    return 1 + varint_size(base::zigzag(f.base)) + (f.has_divisor() ? varint_size(f.divisor) : 0) + packed_size(count, f.width) +
           (f.has_patches() ? patches_size(count, f.patches_count, f.patch_width) : 0);
}

void put_frame(std::span<const int64_t> values, const int_frame& f, std::string& out) {
    residuals r;
    split(values, f, r);
    assert(r.patches_count == f.patches_count);
    out.push_back(static_cast<char>(f.width));
    base::put_varint(out, base::zigzag(f.base));
    if (f.has_divisor()) {
        base::put_varint(out, f.divisor);
    }
    if (f.has_patches()) {
        base::put_varint(out, f.patches_count);
        out.push_back(static_cast<char>(f.patch_width));
    }
    pack({r.packed.data(), values.size()}, f.width, out);
    if (f.has_patches()) {
        pack({r.places.data(), r.patches_count}, place_width(values.size()), out);
        pack({r.patches.data(), r.patches_count}, f.patch_width, out);
    }
}

int64_t take_frame(base::byte_reader& in, frame_parts parts, std::span<uint64_t> out) {
    assert(!out.empty() && out.size() <= vector_size);
    const unsigned width = in.fixed<uint8_t>();
    const int64_t base = base::unzigzag(in.varint());
    const uint64_t divisor = parts.divisor ? in.varint() : 1;
    const uint64_t patches_count = parts.patches ? in.varint() : 0;
    const unsigned patch_width = parts.patches ? in.fixed<uint8_t>() : 0;
    if (!in.ok() || width > width_max || patch_width > width_max || patches_count > out.size()) {
        in.set_failed();
        return 0;
    }
    const auto packed = in.take(packed_size(out.size(), width));
    if (!in.ok()) {
        return 0;
    }
    unpack(packed, width, out);
    if (parts.patches) {
        take_patches(in, patches_count, patch_width, out);
    }
    if (divisor != 1) {
        for (auto& residual : out) {
            residual *= divisor;
        }
    }
    return base;
}

} // namespace tables::codec
