// One typed value of an entity's property or a record's field, borrowed: text and bytes point into memory somebody else owns.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/ticks.hh"

namespace base {

// On disk: do not renumber.
enum class value_type : uint8_t {
    string = 1,
    int32 = 2,
    int64 = 3,
    real = 4, // Edm.Double
    boolean = 5,
    datetime = 6,
    guid = 7,
    binary = 8,
};

// The sixteen bytes in the order of the text: "00112233-4455-..." is 00 11 22 33 44 55.
struct guid {
    std::array<uint8_t, 16> bytes{};

    constexpr auto operator<=>(const guid&) const = default;
};

// Two words and the type, all plain numbers: a parser makes one for each field, and a compiler keeps those in registers.
class value {
public:
    static value of_string(std::string_view utf8) { return {value_type::string, utf8}; }
    static value of_int32(int32_t v) { return {value_type::int32, static_cast<uint64_t>(static_cast<int64_t>(v))}; }
    static value of_int64(int64_t v) { return {value_type::int64, static_cast<uint64_t>(v)}; }
    static value of_real(double v) { return {value_type::real, std::bit_cast<uint64_t>(v)}; }
    static value of_boolean(bool v) { return {value_type::boolean, v ? 1u : 0u}; }
    static value of_datetime(tick t) { return {value_type::datetime, static_cast<uint64_t>(t.value)}; }
    static value of_guid(const guid& g) {
        const auto halves = std::bit_cast<std::array<uint64_t, 2>>(g);
        return {value_type::guid, halves[0], halves[1]};
    }
    static value of_binary(std::string_view bytes) { return {value_type::binary, bytes}; }

    value_type type() const { return _type; }
    // Each needs the matching type().
    std::string_view as_string() const { return bytes(); }
    int32_t as_int32() const { return static_cast<int32_t>(_first); }
    int64_t as_int64() const { return static_cast<int64_t>(_first); }
    double as_real() const { return std::bit_cast<double>(_first); }
    bool as_boolean() const { return _first != 0; }
    tick as_datetime() const { return tick{static_cast<int64_t>(_first)}; }
    guid as_guid() const { return std::bit_cast<guid>(std::array<uint64_t, 2>{_first, _second}); }
    std::string_view as_binary() const { return bytes(); }

    // Same type and same bits: a NaN is identical to itself, 0.0 and -0.0 are not.
    friend bool identical(const value& a, const value& b) {
        if (a._type != b._type) {
            return false;
        }
        return a.is_text() ? a.bytes() == b.bytes() : a._first == b._first && a._second == b._second;
    }

private:
    value(value_type type, uint64_t first, uint64_t second = 0) : _first(first), _second(second), _type(type) {}
    value(value_type type, std::string_view bytes) : value(type, std::bit_cast<uint64_t>(bytes.data()), bytes.size()) {}

    bool is_text() const { return _type == value_type::string || _type == value_type::binary; }
    std::string_view bytes() const { return {std::bit_cast<const char*>(_first), _second}; }

    uint64_t _first;  // integers sign-extended, a double's bits, ticks, 0 or 1; where text or bytes begin; half a guid
    uint64_t _second; // how many bytes of those; the other half
    value_type _type;
};

struct property {
    std::string_view name;
    base::value value;
};

} // namespace base
