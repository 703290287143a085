// Integers as small distances from a base (frame of reference), in the common divisor's units, packed at one width; the few
// that do not fit are *patches*: their place and their distance, beside the packed ones. Where the upper bits of the residuals
// are few different numbers those are a prefix code, and only the `width` lower bits are packed.
//
//   value     = base + divisor * residual                          all arithmetic wraps, so the extremes need no special case
//   residual  = packed / symbol << width | packed
//   frame     = width u8, base zigzag varint, [divisor varint], [patches count varint, patch width u8], [code],
//               packed residuals (0 at the place of a patch), [lanes], [packed places, packed patches (zigzag)]
//
// What is in brackets is announced by the caller's head byte; code and lanes are those of prefix_code.hh. A constant is a frame
// of width 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/coding.hh"
#include "tables/core/codec/int_codes.hh"

namespace tables::codec {

struct int_frame {
    int64_t base = 0;
    uint64_t divisor = 1;
    uint32_t patches_count = 0;
    uint8_t width = 0;
    uint8_t patch_width = 0;
    std::optional<int_codes> codes; // agrees with the others

    bool has_divisor() const { return divisor != 1; }
    bool has_patches() const { return patches_count != 0; }
    bool has_codes() const { return codes.has_value(); }
};

// What a look at the range, the common divisor and a sample tells: enough to see which of several sequences will be smallest.
struct frame_guess {
    int64_t least = 0;
    uint64_t divisor = 1;
    uint64_t most = 0;    // of the quotients (value - least) / divisor
    uint64_t base = 0;    // among them: where the bulk of them begins
    size_t size_bits = 0; // about what the residuals will take
    bool is_constant = true;
};

// Needs: 1..vector_size values.
frame_guess guess_frame(std::span<const int64_t> values);

// The cheapest width, exactly, for the least value as base and for the guessed one. Needs: the values of the guess.
int_frame choose_frame(std::span<const int64_t> values, const frame_guess&);

// The same with a prefix code, where that is smaller by enough to pay for the time it takes. Needs: the values of guess and
// frame.
std::optional<int_frame> choose_coded(std::span<const int64_t> values, const frame_guess&, const int_frame& packed);

// What patches take, their count and width included. Needs: some patches.
size_t patches_size(size_t count, uint32_t patches_count, unsigned patch_width);
// Exactly what put_frame appends.
size_t frame_size(const int_frame&, size_t count);
void put_frame(std::span<const int64_t> values, const int_frame&, std::string& out);

// What a frame's head says is in it.
struct frame_parts {
    bool divisor;
    bool patches;
    bool codes;
};

// Reads a frame of out.size() <= vector_size values: `out` is divisor * residual of each, without the base. The reader has
// failed when the bytes are not a frame.
int64_t take_frame(base::byte_reader&, frame_parts, std::span<uint64_t> out);

} // namespace tables::codec
