#include "blobs/core/mark_filter.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace blobs {
namespace {

// What a mark takes beyond its rice_bits.
constexpr double overhead_bits = 1.5;

uint64_t place_of(mark m, const filter_shape& shape) {
    return m * (static_cast<uint64_t>(shape.marks_count) << shape.rice_bits) >> 32;
}

mark slice_begin(size_t slice, unsigned slices_bits) {
    return slices_bits == 0 ? 0 : static_cast<mark>(slice << (32 - slices_bits));
}

class bit_writer {
public:
    // The lowest `count` of the bits, at most 56.
    void put(uint64_t bits, unsigned count) {
        _pending |= (bits & ((uint64_t{1} << count) - 1)) << _used;
        for (_used += count; _used >= 8; _used -= 8) {
            _out.push_back(static_cast<char>(_pending));
            _pending >>= 8;
        }
    }
    void put_zeros(uint64_t count) {
        for (; count > 56; count -= 56) {
            put(0, 56);
        }
        put(0, static_cast<unsigned>(count));
    }
    // All of it, filled up with zeros to whole bytes.
    std::string finish() {
        if (_used != 0) {
            _out.push_back(static_cast<char>(_pending));
        }
        return std::move(_out);
    }

private:
    std::string _out;
    uint64_t _pending = 0;
    unsigned _used = 0; // bits of it, below 8 between calls
};

class bit_reader {
public:
    explicit bit_reader(std::string_view bytes) : _bytes(bytes) {}

    // The number of zeros before the next one; false when there is no one any more.
    bool unary(uint64_t& zeros) {
        zeros = 0;
        while (_at < _bytes.size() * 8) {
            const uint64_t window = peek();
            const size_t left = std::min<size_t>(57, _bytes.size() * 8 - _at);
            const auto run = static_cast<size_t>(std::countr_zero(window));
            if (run < left) {
                zeros += run;
                _at += run + 1;
                return true;
            }
            zeros += left;
            _at += left;
        }
        return false;
    }
    uint64_t bits(unsigned count) {
        const uint64_t value = peek() & ((uint64_t{1} << count) - 1);
        _at += count;
        return value;
    }

private:
    // At least 57 bits from the current place on, those behind the end zero.
    uint64_t peek() const {
        const size_t byte = _at / 8;
        uint64_t word = 0;
        if (byte < _bytes.size()) {
            std::memcpy(&word, _bytes.data() + byte, std::min<size_t>(8, _bytes.size() - byte));
        }
        return word >> (_at % 8);
    }

    std::string_view _bytes;
    size_t _at = 0;
};

// Few bits for all marks or more bits for some: whichever is wrong less often about a mark that is not there.
filter_shape choose_shape(std::span<const mark> marks, size_t bytes_max) {
    filter_shape best;
    double best_wrong = 1;
    const double bits_each = 8.0 * static_cast<double>(bytes_max) / static_cast<double>(std::max<size_t>(marks.size(), 1));
    for (unsigned bits = 1; bits <= rice_bits_max; ++bits) {
        const double kept = std::min(1.0, bits_each / (bits + overhead_bits));
        const double wrong = 1 - kept + kept / static_cast<double>(1u << bits);
        if (wrong < best_wrong) {
            best_wrong = wrong;
            best.rice_bits = static_cast<uint8_t>(bits);
            best.kept_parts = static_cast<uint16_t>(kept * kept_parts_all);
        }
    }
    best.marks_count = static_cast<uint32_t>(std::ranges::count_if(marks, [&](mark m) { return is_kept(best, m); }));
    return best;
}

} // namespace

size_t coded_filter::bytes() const {
    size_t sum = 0;
    for (const auto& slice : slices) {
        sum += slice.size();
    }
    return sum;
}

coded_filter code_filter(std::span<const mark> marks, size_t bytes_max, unsigned slices_bits) {
    assert(slices_bits <= slices_bits_max);
    coded_filter made{.shape = choose_shape(marks, bytes_max), .slices = {}};
    const auto& shape = made.shape;
    auto next = marks.begin();
    for (size_t s = 0; s < size_t{1} << slices_bits; ++s) {
        bit_writer bits;
        uint64_t expected = place_of(slice_begin(s, slices_bits), shape);
        for (; next != marks.end() && slice_of(*next, slices_bits) == s; ++next) {
            const uint64_t place = place_of(*next, shape);
            if (!is_kept(shape, *next) || place < expected) {
                continue; // not in the set, or at the place of the one before
            }
            bits.put_zeros((place - expected) >> shape.rice_bits);
            bits.put(1, 1);
            bits.put(place - expected, shape.rice_bits);
            expected = place + 1;
        }
        made.slices.push_back(bits.finish());
    }
    return made;
}

bool may_have(const filter_shape& shape, unsigned slices_bits, std::string_view slice, mark m) {
    if (!is_kept(shape, m)) {
        return true;
    }
    const uint64_t wanted = place_of(m, shape);
    uint64_t expected = place_of(slice_begin(slice_of(m, slices_bits), slices_bits), shape);
    bit_reader in(slice);
    for (uint64_t high = 0; expected <= wanted && in.unary(high);) {
        const uint64_t place = expected + (high << shape.rice_bits) + in.bits(shape.rice_bits);
        if (place == wanted) {
            return true;
        }
        expected = place + 1;
    }
    return false;
}

} // namespace blobs
