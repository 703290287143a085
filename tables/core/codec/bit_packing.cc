#include "tables/core/codec/bit_packing.hh"

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace tables::codec {
namespace {

constexpr size_t group_size = 64; // values in one call of a kernel

constexpr uint64_t low_bits(unsigned width) {
    return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

template <unsigned Width, size_t I>
inline uint64_t value_at(const uint64_t* words) {
    constexpr size_t bit = I * Width;
    constexpr size_t word = bit / 64;
    constexpr unsigned shift = bit % 64;
    uint64_t value = words[word] >> shift;
    if constexpr (shift + Width > 64) {
        value |= words[word + 1] << (64 - shift);
    }
    return value & low_bits(Width);
}

template <unsigned Width>
void unpack_group(const char* in, uint64_t* out) {
    if constexpr (Width == 0) {
        std::memset(out, 0, group_size * sizeof(uint64_t));
    } else {
        uint64_t words[Width];
        std::memcpy(words, in, sizeof words);
        [&]<size_t... I>(std::index_sequence<I...>) {
            ((out[I] = value_at<Width, I>(words)), ...);
        }(std::make_index_sequence<group_size>());
    }
}

using kernel = void (*)(const char*, uint64_t*);

constexpr auto kernels = []<size_t... Width>(std::index_sequence<Width...>) {
    return std::array<kernel, sizeof...(Width)>{&unpack_group<Width>...};
}(std::make_index_sequence<width_max + 1>());

} // namespace

void pack(std::span<const uint64_t> values, unsigned width, std::string& out) {
    assert(width <= width_max);
    const size_t end = out.size() + packed_size(values.size(), width);
    uint64_t word = 0; // bits that have not reached eight bytes yet
    unsigned filled = 0;
    for (const uint64_t value : values) {
        assert((value & ~low_bits(width)) == 0);
        word |= value << filled;
        filled += width;
        if (filled >= 64) {
            out.append(reinterpret_cast<const char*>(&word), sizeof word);
            filled -= 64;
            word = filled == 0 ? 0 : value >> (width - filled);
        }
    }
    out.append(reinterpret_cast<const char*>(&word), end - out.size());
}

void unpack(std::string_view packed, unsigned width, std::span<uint64_t> out) {
    assert(width <= width_max && packed.size() == packed_size(out.size(), width));
    const auto unpack_64 = kernels[width];
    const size_t group_bytes = width * group_size / 8;
    const char* in = packed.data();
    size_t at = 0;
    for (; at + group_size <= out.size(); at += group_size, in += group_bytes) {
        unpack_64(in, out.data() + at);
    }
    if (at < out.size()) {
        // The kernel reads and writes a whole group: give it one.
        std::array<char, group_size * sizeof(uint64_t)> last{};
        std::array<uint64_t, group_size> values;
        std::memcpy(last.data(), in, packed_size(out.size() - at, width));
        unpack_64(last.data(), values.data());
        std::memcpy(out.data() + at, values.data(), (out.size() - at) * sizeof(uint64_t));
    }
}

} // namespace tables::codec
