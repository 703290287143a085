// One vector of doubles, bit for bit: as decimals, as the integers of their bits, or split, whichever is smallest.
//
//   vector    = 0, decimals (decimal.hh)
//             / 1, int vector (int_vector.hh) of the bits, mapped so that neighbours in value are neighbours as integers
//             / 2, split (real_split.hh)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tables/core/codec/decimal.hh"

namespace tables::codec {

// On disk: do not renumber.
enum class real_form : uint8_t { decimals = 0, bits = 1, split = 2 };

// Keeps what it found out about one vector for the next of the same column.
class real_encoder {
public:
    // Needs: 1..vector_size values.
    void encode(std::span<const double> values, std::string& out);

private:
    decimal_plan _decimals;
};

// False when `bytes` is not exactly one vector of out.size() values. Needs: 1..vector_size.
[[nodiscard]] bool decode_reals(std::string_view bytes, std::span<double> out);

// Of doubles that are not NaN: the order of the values, with -0.0 right below 0.0. Its own inverse on bits.
constexpr int64_t ordered_bits(int64_t bits) {
    return bits ^ ((bits >> 63) & INT64_MAX);
}

} // namespace tables::codec
