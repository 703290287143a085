// Doubles without a pattern in their low bits (ALP-RD): sign, exponent and the first bits of the mantissa take few different
// values, so they become codes of a small dictionary; the rest is packed as it is.
//
//   split     = right bits u8, code bits u8, dictionary (2^code bits entries, u16 each), exceptions count varint,
//               packed codes, packed right parts, [packed places of the exceptions, their left parts u16 each]
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tables::codec {

struct split_plan {
    static constexpr unsigned left_bits_max = 16;
    static constexpr unsigned code_bits_max = 3;

    uint8_t right_bits = 0;
    uint8_t code_bits = 0;
    std::array<uint16_t, 1 << code_bits_max> dictionary{};
    uint32_t exceptions_count = 0;
    size_t size = 0; // exactly what encode appends
};

// Needs: 1..vector_size values; encode, the same values as the plan.
split_plan plan_split(std::span<const double> values);
void encode_split(std::span<const double> values, const split_plan&, std::string& out);

// False when `bytes` is not exactly one vector of out.size() values. Needs: 1..vector_size.
[[nodiscard]] bool decode_split(std::string_view bytes, std::span<double> out);

} // namespace tables::codec
