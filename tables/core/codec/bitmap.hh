// Bits, lowest bit of the first byte first, as Arrow has them. An empty bitmap has no bytes.
//
//   bitmap    = 0                               all zeros
//             / 1                               all ones
//             / 2, first bit u8, runs count varint, int column of the runs' lengths; runs alternate
//             / 3, bytes as they are; bits behind the last one are 0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tables::codec {

class bitmap {
public:
    bitmap() = default;
    bitmap(size_t count, bool value);

    static constexpr size_t bytes_for(size_t count) { return (count + 7) / 8; }

    size_t size() const { return _size; }
    bool operator[](size_t i) const { return (_bytes[i / 8] >> (i % 8) & 1) != 0; }
    void push_back(bool bit) {
        if (_size % 8 == 0) {
            _bytes.push_back(0);
        }
        _bytes.back() |= static_cast<uint8_t>(bit << (_size++ % 8));
    }
    void append(size_t count, bool bit);
    void set(size_t i) { _bytes[i / 8] |= static_cast<uint8_t>(1u << (i % 8)); }
    void clear() { _size = 0, _bytes.clear(); }

    // How many ones there are in [begin, end).
    size_t count(size_t begin, size_t end) const;
    size_t count() const { return count(0, _size); }
    std::span<const uint8_t> bytes() const { return _bytes; }
    // [begin, end) to the front of `out`, which has bytes_for(end - begin); the bits behind are 0.
    void copy(size_t begin, size_t end, std::span<uint8_t> out) const;

    bool operator==(const bitmap&) const = default;

private:
    friend bool decode_bitmap(std::string_view, size_t, bitmap&);

    size_t _size = 0;
    std::vector<uint8_t> _bytes; // bits behind the last one are 0
};

// Needs: at most column_values_max bits.
void encode_bitmap(const bitmap&, std::string& out);
// False when `bytes` is not exactly a bitmap of so many bits.
[[nodiscard]] bool decode_bitmap(std::string_view bytes, size_t count, bitmap& out);

} // namespace tables::codec
