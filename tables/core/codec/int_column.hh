// A column of integers. An empty one has no bytes.
//
//   column    = 0, value zigzag varint          every value is this one
//             / 1, vectors (vectors.hh) of int vectors (int_vector.hh)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tables/core/codec/vectors.hh"

namespace tables::codec {

// Needs: at most column_values_max values.
void encode_int_column(std::span<const int64_t> values, std::string& out);

// Borrows the bytes.
class int_column {
public:
    // Nothing when the bytes cannot be a column of so many values; values are looked at only when they are decoded.
    static std::optional<int_column> open(std::string_view bytes, size_t count);

    size_t size() const { return _count; }
    // Values [begin, begin + out.size()). False when the bytes are damaged. Needs: within size().
    [[nodiscard]] bool decode(size_t begin, std::span<int64_t> out) const;

private:
    size_t _count = 0;
    std::optional<int64_t> _constant;
    vectors _vectors;
};

} // namespace tables::codec
