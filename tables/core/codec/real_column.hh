// A column of doubles, bit for bit. An empty one has no bytes.
//
//   column    = 0, bits u64                     every value has these bits
//             / 1, vectors (vectors.hh) of real vectors (real_vector.hh)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tables/core/codec/vectors.hh"

namespace tables::codec {

// Needs: at most column_values_max values.
void encode_real_column(std::span<const double> values, std::string& out);

// Borrows the bytes.
class real_column {
public:
    // Nothing when the bytes cannot be a column of so many values; values are looked at only when they are decoded.
    static std::optional<real_column> open(std::string_view bytes, size_t count);

    size_t size() const { return _count; }
    // Values [begin, begin + out.size()). False when the bytes are damaged. Needs: within size().
    [[nodiscard]] bool decode(size_t begin, std::span<double> out) const;

private:
    size_t _count = 0;
    std::optional<double> _constant;
    vectors _vectors;
};

} // namespace tables::codec
