// One vector of integers: the values themselves, their differences, or the differences of those, whichever frame is smallest.
//
//   vector    = head u8, [first zigzag varint], [first difference zigzag varint], frame (int_frame.hh)
//   head      = bits 0-1 form; 4: the frame has a divisor; 8: it has patches; 10: it has codes (since version 2); the others 0
//   form      = 0 values, 1 differences (has `first`), 2 differences of differences (has both)
//
// The frame always has one entry for each value: those of the first one or two are not looked at.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tables/core/codec/int_frame.hh"

namespace tables::codec {

// On disk: do not renumber.
enum class int_form : uint8_t { values = 0, differences = 1, second_differences = 2 };

struct int_plan {
    int_form form = int_form::values;
    int64_t first = 0;
    int64_t first_difference = 0;
    int_frame frame;
    size_t size = 0; // exactly what encode appends
};

// Needs: 1..vector_size values; encode, the same values as the plan.
int_plan plan_ints(std::span<const int64_t> values);
void encode_ints(std::span<const int64_t> values, const int_plan&, std::string& out);

// False when `bytes` is not exactly one vector of out.size() values. Needs: 1..vector_size.
[[nodiscard]] bool decode_ints(std::string_view bytes, std::span<int64_t> out);

} // namespace tables::codec
