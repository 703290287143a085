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

class value {
public:
    static value of_string(std::string_view utf8) { return {value_type::string, 0, utf8}; }
    static value of_int32(int32_t v) { return {value_type::int32, static_cast<uint64_t>(static_cast<int64_t>(v)), {}}; }
    static value of_int64(int64_t v) { return {value_type::int64, static_cast<uint64_t>(v), {}}; }
    static value of_real(double v) { return {value_type::real, std::bit_cast<uint64_t>(v), {}}; }
    static value of_boolean(bool v) { return {value_type::boolean, v ? 1u : 0u, {}}; }
    static value of_datetime(tick t) { return {value_type::datetime, static_cast<uint64_t>(t.value), {}}; }
    static value of_guid(const guid& g) {
        value v{value_type::guid, 0, {}};
        v._guid = g;
        return v;
    }
    static value of_binary(std::string_view bytes) { return {value_type::binary, 0, bytes}; }

    value_type type() const { return _type; }
    // Each needs the matching type().
    std::string_view as_string() const { return _bytes; }
    int32_t as_int32() const { return static_cast<int32_t>(_bits); }
    int64_t as_int64() const { return static_cast<int64_t>(_bits); }
    double as_real() const { return std::bit_cast<double>(_bits); }
    bool as_boolean() const { return _bits != 0; }
    tick as_datetime() const { return tick{static_cast<int64_t>(_bits)}; }
    const guid& as_guid() const { return _guid; }
    std::string_view as_binary() const { return _bytes; }

    // Same type and same bits: a NaN is identical to itself, 0.0 and -0.0 are not.
    friend bool identical(const value& a, const value& b) {
        return a._type == b._type && a._bits == b._bits && a._bytes == b._bytes && a._guid == b._guid;
    }

private:
    value(value_type type, uint64_t bits, std::string_view bytes) : _type(type), _bits(bits), _bytes(bytes) {}

    value_type _type;
    uint64_t _bits;          // integers sign-extended, a double's bits, ticks, 0 or 1
    std::string_view _bytes; // string and binary
    guid _guid;
};

struct property {
    std::string_view name;
    base::value value;
};

} // namespace base
