// Little-endian integers, LEB128 varints and length-prefixed bytes, written to a string and read back with every bound
// checked. The reader fails once and stays failed: read a whole structure, then ask ok() before using any of it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace base {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian and are copied as they are");

template <std::unsigned_integral T>
inline void put_fixed(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void put_varint(std::string& out, uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<char>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

// Small magnitudes of either sign stay short.
constexpr uint64_t zigzag(int64_t value) {
    return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) {
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

inline void put_bytes(std::string& out, std::string_view bytes) {
    put_varint(out, bytes.size());
    out.append(bytes);
}

class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : _rest(bytes) {}

    bool ok() const { return !_failed; }
    // True when everything was read and nothing failed: what a whole structure must end with.
    bool done() const { return !_failed && _rest.empty(); }
    std::string_view rest() const { return _rest; }
    size_t remaining() const { return _rest.size(); }
    void set_failed() { _failed = true, _rest = {}; }

    template <std::unsigned_integral T>
    T fixed() {
        T value = 0;
        if (_rest.size() < sizeof value) {
            set_failed();
            return 0;
        }
        std::memcpy(&value, _rest.data(), sizeof value);
        _rest.remove_prefix(sizeof value);
        return value;
    }

    uint64_t varint() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !_rest.empty(); shift += 7) {
            const auto byte = static_cast<uint8_t>(_rest.front());
            _rest.remove_prefix(1);
            if (shift == 63 && byte > 1) {
                break; // more than 64 bits
            }
            value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
        set_failed();
        return 0;
    }

    // Exactly `count` bytes, or failure: a declared length is never trusted beyond what is there.
    std::string_view take(uint64_t count) {
        if (count > _rest.size()) {
            set_failed();
            return {};
        }
        auto bytes = _rest.substr(0, count);
        _rest.remove_prefix(count);
        return bytes;
    }

    std::string_view bytes() { return take(varint()); }

private:
    std::string_view _rest;
    bool _failed = false;
};

} // namespace base
