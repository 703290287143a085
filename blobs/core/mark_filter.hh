// A set of marks in few bits: their places in a range of marks_count * 2^rice_bits, sorted, as differences in Rice code. A mark
// that is not in the set is taken for one with a chance of about one in 2^rice_bits.
//
// The range of all marks is cut into slices, each coded alone. A blob keeps the same slice of all its blocks together, so that
// looking for one mark in all blocks is one short read.
//
//   slice     = *place, from the lowest bit of the first byte up; the bits behind the last one are 0
//   place     = difference >> rice_bits in zeros, a one, the lowest rice_bits of the difference
//   difference = to the place before, less one; of the first place: to the first place of the slice
//
// When that is too much for the bytes allowed, only marks whose lowest byte is below kept_parts are in the set, and only those
// are asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/core/text_marks.hh"

namespace blobs {

constexpr unsigned rice_bits_max = 8;
constexpr uint16_t kept_parts_all = 256;
constexpr unsigned slices_bits_max = 6;

struct filter_shape {
    uint32_t marks_count = 0; // in the set
    uint8_t rice_bits = 0;
    uint16_t kept_parts = 0; // of 256; 0: there is no filter

    bool operator==(const filter_shape&) const = default;
};

struct coded_filter {
    filter_shape shape;
    std::vector<std::string> slices;

    size_t bytes() const;
};

// Within about bytes_max. Needs: sorted, no mark twice.
coded_filter code_filter(std::span<const mark> marks, size_t bytes_max, unsigned slices_bits);

inline size_t slice_of(mark m, unsigned slices_bits) {
    return slices_bits == 0 ? 0 : m >> (32 - slices_bits);
}
// False: there is nothing to be asked about this mark.
inline bool is_kept(const filter_shape& shape, mark m) {
    return (m & 0xff) < shape.kept_parts;
}
// False is sure: the mark is not there. `slice` is the one of this mark; any bytes are one.
bool may_have(const filter_shape&, unsigned slices_bits, std::string_view slice, mark m);

} // namespace blobs
