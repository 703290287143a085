#include "tables/core/codec/real_vector.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "tables/core/codec/limits.hh"
#include "tables/core/codec/real_split.hh"

namespace tables::codec {
namespace {

bool decode_bits(std::string_view bytes, std::span<double> out) {
    std::array<int64_t, vector_size> ints;
    if (!decode_ints(bytes, {ints.data(), out.size()})) {
        return false;
    }
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = std::bit_cast<double>(ordered_bits(ints[i]));
    }
    return true;
}

void put_form(std::string& out, real_form form) {
    out.push_back(static_cast<char>(form));
}

} // namespace

void real_encoder::encode(std::span<const double> values, std::string& out) {
    assert(!values.empty() && values.size() <= vector_size);
    const bool are_decimals = _decimals.prepare(values);
    if (are_decimals && !_decimals.has_exceptions()) {
        // Integers of at most 51 bits, and deltas of decimals: the other two hold the same numbers in more bits.
        put_form(out, real_form::decimals);
        return _decimals.encode(out);
    }
    std::array<int64_t, vector_size> bits;
    for (size_t i = 0; i < values.size(); ++i) {
        bits[i] = ordered_bits(std::bit_cast<int64_t>(values[i]));
    }
    const auto bits_plan = plan_ints({bits.data(), values.size()});
    const auto split = plan_split(values);
    if (are_decimals && _decimals.size() <= std::min(bits_plan.size, split.size)) {
        put_form(out, real_form::decimals);
        _decimals.encode(out);
    } else if (bits_plan.size <= split.size) {
        put_form(out, real_form::bits);
        encode_ints({bits.data(), values.size()}, bits_plan, out);
    } else {
        put_form(out, real_form::split);
        encode_split(values, split, out);
    }
}

bool decode_reals(std::string_view bytes, std::span<double> out) {
    if (bytes.empty()) {
        return false;
    }
    const auto body = bytes.substr(1);
    switch (static_cast<real_form>(bytes.front())) {
    case real_form::decimals: return decode_decimals(body, out);
    case real_form::bits: return decode_bits(body, out);
    case real_form::split: return decode_split(body, out);
    }
    return false;
}

} // namespace tables::codec
