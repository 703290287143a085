// A column cut into vectors of vector_size values (the last may be shorter), each decodable alone.
//
//   vectors   = *length varint (of all but the last vector), *vector
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/coding.hh"
#include "tables/core/codec/limits.hh"

namespace tables::codec {

// Of one vector. Integers are worked on without their sign, where arithmetic wraps.
using words = std::array<uint64_t, vector_size>;

constexpr uint64_t unsigned_of(int64_t v) {
    return static_cast<uint64_t>(v);
}

// Where each vector begins. Borrows the bytes.
class vectors {
public:
    // False when the lengths do not fit the bytes. Needs: 1..column_values_max values.
    [[nodiscard]] bool open(std::string_view bytes, size_t values_count) {
        base::byte_reader in(bytes);
        _values_count = values_count;
        uint64_t end = 0;
        for (size_t i = 0; i + 1 < size(); ++i) {
            end += in.varint();
            if (!in.ok() || end > bytes.size()) {
                return false;
            }
            _ends[i] = static_cast<uint32_t>(end);
        }
        _bodies = in.rest();
        _ends[size() - 1] = static_cast<uint32_t>(_bodies.size());
        return end <= _bodies.size();
    }

    size_t size() const { return (_values_count + vector_size - 1) / vector_size; }
    size_t values_in(size_t i) const { return std::min(vector_size, _values_count - i * vector_size); }
    std::string_view operator[](size_t i) const {
        const uint32_t begin = i == 0 ? 0 : _ends[i - 1];
        return _bodies.substr(begin, _ends[i] - begin);
    }

private:
    size_t _values_count = 0;
    std::string_view _bodies;
    std::array<uint32_t, column_vectors_max> _ends;
};

// encode(values of one vector, out) appends one vector.
template <class T>
void put_vectors(std::span<const T> values, std::string& out, const auto& encode) {
    std::string bodies;
    for (size_t at = 0; at < values.size(); at += vector_size) {
        const size_t before = bodies.size();
        encode(values.subspan(at, std::min(vector_size, values.size() - at)), bodies);
        if (at + vector_size < values.size()) {
            base::put_varint(out, bodies.size() - before);
        }
    }
    out += bodies;
}

// Values [begin, begin + out.size()): only the vectors that hold them are looked at. decode(bytes, out) is of one whole vector.
template <class T>
[[nodiscard]] bool decode_range(const vectors& from, size_t begin, std::span<T> out, const auto& decode) {
    std::array<T, vector_size> whole;
    while (!out.empty()) {
        const size_t i = begin / vector_size;
        const size_t skipped = begin % vector_size;
        const size_t wanted = std::min(out.size(), from.values_in(i) - skipped);
        if (wanted == from.values_in(i)) {
            if (!decode(from[i], out.first(wanted))) {
                return false;
            }
        } else {
            if (!decode(from[i], std::span(whole).first(from.values_in(i)))) {
                return false;
            }
            std::ranges::copy(std::span(whole).subspan(skipped, wanted), out.begin());
        }
        out = out.subspan(wanted);
        begin += wanted;
    }
    return true;
}

} // namespace tables::codec
