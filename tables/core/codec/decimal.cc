#include "tables/core/codec/decimal.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <optional>

#include "tables/core/codec/bit_packing.hh"
#include "tables/core/codec/varint_size.hh"

namespace tables::codec {
namespace {

// All exact: 5^22 is below 2^53.
constexpr std::array<double, 19> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                               1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

// Adding this to a number of magnitude below 2^51 rounds it to an integer, which is then in the low bits of the sum; the other
// way round it turns such an integer into a double. Both without a conversion instruction, so that loops become vectors.
constexpr double magic = 6755399441055744.0; // 2^52 + 2^51
constexpr int64_t magic_bits = 0x4338000000000000;
constexpr double rounded_max = 2251799813685248.0; // 2^51
static_assert(std::bit_cast<int64_t>(magic) == magic_bits);

int64_t round_to_int(double scaled) {
    return std::bit_cast<int64_t>(scaled + magic) - magic_bits;
}

double to_double(int64_t i) {
    return std::bit_cast<double>(static_cast<uint64_t>(i) + static_cast<uint64_t>(magic_bits)) - magic;
}

struct rounded {
    int64_t integer;
    bool is_exact;
};

rounded round(double value, double power) {
    const double scaled = value * power;
    const bool is_in_range = scaled > -rounded_max && scaled < rounded_max; // a NaN is not
    const int64_t integer = is_in_range ? round_to_int(scaled) : 0;
    const bool is_exact = is_in_range && std::bit_cast<uint64_t>(to_double(integer) / power) == std::bit_cast<uint64_t>(value);
    return {integer, is_exact};
}

constexpr size_t decimal_sample_max = 32;

struct sample {
    std::array<double, decimal_sample_max> values;
    size_t size = 0;

    explicit sample(std::span<const double> from) {
        const size_t step = (from.size() + decimal_sample_max - 1) / decimal_sample_max;
        for (size_t i = step / 2; i < from.size(); i += step) {
            values[size++] = from[i];
        }
    }
    size_t exact_count(size_t places) const {
        return static_cast<size_t>(std::count_if(values.begin(), values.begin() + size,
                                                 [&](double v) { return round(v, powers_of_ten[places]).is_exact; }));
    }
};

// The fewest places with which the most values are exact: more of them only make the integers longer.
std::optional<uint8_t> find_places(const sample& s, uint8_t hint) {
    if (s.exact_count(hint) == s.size) {
        return hint;
    }
    size_t best_count = 0;
    uint8_t best = 0;
    for (uint8_t places = 0; places < powers_of_ten.size(); ++places) {
        const size_t count = s.exact_count(places);
        if (count > best_count) {
            best_count = count;
            best = places;
        }
        if (best_count == s.size) {
            break;
        }
    }
    const bool is_worth_it = 2 * best_count >= s.size && best_count != 0;
    return is_worth_it ? std::optional(best) : std::nullopt;
}

} // namespace

bool decimal_plan::prepare(std::span<const double> values) {
    assert(!values.empty() && values.size() <= vector_size);
    const auto places = find_places(sample(values), _places);
    if (!places) {
        return false;
    }
    _places = *places;
    round_all(values);
    _ints_plan = plan_ints({_ints.data(), _count});
    _size = 1 + varint_size(_exceptions_count) + packed_size(_exceptions_count, place_width(_count)) +
            _exceptions_count * sizeof(uint64_t) + _ints_plan.size;
    return true;
}

void decimal_plan::round_all(std::span<const double> values) {
    const double power = powers_of_ten[_places];
    _count = values.size();
    _exceptions_count = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        const auto [integer, is_exact] = round(values[i], power);
        _ints[i] = integer;
        if (!is_exact) {
            _exception_places[_exceptions_count] = i;
            _exception_bits[_exceptions_count++] = std::bit_cast<uint64_t>(values[i]);
        }
    }
    // What stands in for an exception must not widen the others: the one before it, or the first that is exact.
    size_t first_exact = 0;
    while (first_exact < _exceptions_count && _exception_places[first_exact] == first_exact) {
        ++first_exact;
    }
    const int64_t first = first_exact < _count ? _ints[first_exact] : 0;
    for (size_t e = 0; e < _exceptions_count; ++e) {
        const size_t i = _exception_places[e];
        _ints[i] = i < first_exact || i == 0 ? first : _ints[i - 1];
    }
}

void decimal_plan::encode(std::string& out) const {
    out.push_back(static_cast<char>(_places));
    base::put_varint(out, _exceptions_count);
    pack({_exception_places.data(), _exceptions_count}, place_width(_count), out);
    out.append(reinterpret_cast<const char*>(_exception_bits.data()), _exceptions_count * sizeof(uint64_t));
    encode_ints({_ints.data(), _count}, _ints_plan, out);
}

bool decode_decimals(std::string_view bytes, std::span<double> out) {
    base::byte_reader in(bytes);
    const auto places = in.fixed<uint8_t>();
    const uint64_t exceptions_count = in.varint();
    if (!in.ok() || places >= powers_of_ten.size() || exceptions_count > out.size()) {
        return false;
    }
    const auto packed_places = in.take(packed_size(exceptions_count, place_width(out.size())));
    const auto exceptions = in.take(exceptions_count * sizeof(uint64_t));
    std::array<int64_t, vector_size> ints;
    if (!in.ok() || !decode_ints(in.rest(), {ints.data(), out.size()})) {
        return false;
    }
    const double power = powers_of_ten[places];
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = to_double(ints[i]) / power;
    }
    std::array<uint64_t, vector_size> exception_places;
    unpack(packed_places, place_width(out.size()), {exception_places.data(), exceptions_count});
    for (size_t e = 0; e < exceptions_count; ++e) {
        if (exception_places[e] >= out.size()) {
            return false;
        }
        std::memcpy(&out[exception_places[e]], exceptions.data() + e * sizeof(uint64_t), sizeof(uint64_t));
    }
    return true;
}

} // namespace tables::codec
