// Doubles that were decimals once (ALP): value = integer / 10^places, where that gives back the very same bits. Division by an
// exact power of ten rounds correctly, so every decimal of up to 15 digits comes back; the rest are *exceptions*, kept whole.
//
//   decimals  = places u8, exceptions count varint, [packed places of the exceptions, their bits u64 each],
//               int vector (int_vector.hh); where an exception stands it repeats a neighbour
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tables/core/codec/int_vector.hh"
#include "tables/core/codec/limits.hh"

namespace tables::codec {

// One vector as decimals. About 16 KiB: reuse it.
class decimal_plan {
public:
    // False when too few values of a sample are decimals for it to be worth a try. Needs: 1..vector_size values.
    // Consecutive vectors mostly have the same number of places, so the last one found is tried first.
    bool prepare(std::span<const double> values);

    size_t size() const { return _size; } // exactly what encode appends
    bool has_exceptions() const { return _exceptions_count != 0; }
    void encode(std::string& out) const;

private:
    void round_all(std::span<const double> values);

    uint8_t _places = 0;
    size_t _count = 0;
    size_t _exceptions_count = 0;
    size_t _size = 0;
    int_plan _ints_plan;
    std::array<int64_t, vector_size> _ints;
    std::array<uint64_t, vector_size> _exception_places;
    std::array<uint64_t, vector_size> _exception_bits;
};

// False when `bytes` is not exactly one vector of decimals. Needs: 1..vector_size.
[[nodiscard]] bool decode_decimals(std::string_view bytes, std::span<double> out);

} // namespace tables::codec
