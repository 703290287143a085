#include "tables/core/codec/int_frame.hh"

#include <algorithm>
#include <array>
#include <cassert>

#include "tables/core/codec/bit_packing.hh"
#include "tables/core/codec/limits.hh"
#include "tables/core/codec/varint_size.hh"
#include "tables/core/codec/vectors.hh"

namespace tables::codec {
namespace {

// Residuals to pack, and beside them the symbols and the patches.
struct residuals {
    words packed;
    std::array<uint8_t, vector_size> symbols;
    words places;
    words patches;
    size_t patches_count = 0;
};

// The largest residual that is no patch.
uint64_t residual_limit(const int_frame& f) {
    const uint64_t least_outside = f.has_codes()          ? int_codes::symbols_max << f.width
                                   : f.width == width_max ? 0
                                                          : uint64_t{1} << f.width;
    return least_outside - 1;
}

void split(std::span<const int64_t> values, const int_frame& f, residuals& out) {
    const uint64_t limit = residual_limit(f);
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
        out.packed[i] = f.has_codes() ? uint64_t{f.codes->stand_in} << f.width : 0;
        out.places[out.patches_count] = i;
        out.patches[out.patches_count++] = base::zigzag(static_cast<int64_t>(residual));
    }
    if (f.has_codes()) {
        for (size_t i = 0; i < values.size(); ++i) {
            out.symbols[i] = static_cast<uint8_t>(out.packed[i] >> f.width);
            out.packed[i] &= (uint64_t{1} << f.width) - 1;
        }
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

void take_symbols(base::byte_reader& in, const prefix_code& code, unsigned width, std::span<uint64_t> out) {
    std::array<uint8_t, vector_size> symbols;
    code.take_lanes(in, {symbols.data(), out.size()});
    for (size_t i = 0; in.ok() && i < out.size(); ++i) {
        out[i] |= uint64_t{symbols[i]} << width;
    }
}

} // namespace

size_t patches_size(size_t count, uint32_t patches_count, unsigned patch_width) {
    return varint_size(patches_count) + 1 + packed_size(patches_count, place_width(count)) +
           packed_size(patches_count, patch_width);
}

size_t frame_size(const int_frame& f, size_t count) {
    return 1 + varint_size(base::zigzag(f.base)) + (f.has_divisor() ? varint_size(f.divisor) : 0) + packed_size(count, f.width) +
           (f.has_patches() ? patches_size(count, f.patches_count, f.patch_width) : 0) + (f.has_codes() ? f.codes->size() : 0);
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
    if (f.has_codes()) {
        f.codes->code.put(out);
    }
    pack({r.packed.data(), values.size()}, f.width, out);
    if (f.has_codes()) {
        f.codes->code.put_lanes({r.symbols.data(), values.size()}, f.codes->lanes, out);
    }
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
    const auto code = parts.codes ? prefix_code::take(in) : prefix_code();
    if (!in.ok() || width > (parts.codes ? int_codes::low_bits_max : width_max) || patch_width > width_max ||
        patches_count > out.size()) {
        in.set_failed();
        return 0;
    }
    const auto packed = in.take(packed_size(out.size(), width));
    if (!in.ok()) {
        return 0;
    }
    unpack(packed, width, out);
    if (parts.codes) {
        take_symbols(in, code, width, out);
    }
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
