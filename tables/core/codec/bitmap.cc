#include "tables/core/codec/bitmap.hh"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/coding.hh"
#include "tables/core/codec/int_column.hh"

namespace tables::codec {
namespace {

enum class bitmap_layout : uint8_t { zeros = 0, ones = 1, runs = 2, raw = 3 };

// More runs than this never beat the plain bytes, since a run takes at least one of them or nearly so.
size_t runs_max(size_t count) {
    return bitmap::bytes_for(count);
}

std::vector<int64_t> runs_of(const bitmap& bits) {
    std::vector<int64_t> runs;
    for (size_t i = 0; i < bits.size() && runs.size() <= runs_max(bits.size()); ++i) {
        if (i == 0 || bits[i] != bits[i - 1]) {
            runs.push_back(0);
        }
        ++runs.back();
    }
    return runs;
}

bool take_runs(base::byte_reader& in, size_t count, bitmap& out) {
    const auto first = in.fixed<uint8_t>();
    const uint64_t runs_count = in.varint();
    if (!in.ok() || first > 1 || runs_count > count) {
        return false;
    }
    const auto column = int_column::open(in.rest(), runs_count);
    std::vector<int64_t> runs(runs_count);
    if (!column || !column->decode(0, runs)) {
        return false;
    }
    bool bit = first != 0;
    for (const int64_t run : runs) {
        if (run < 1 || static_cast<uint64_t>(run) > count - out.size()) {
            return false;
        }
        out.append(static_cast<size_t>(run), bit);
        bit = !bit;
    }
    return out.size() == count;
}

} // namespace

bitmap::bitmap(size_t count, bool value) {
    append(count, value);
}

void bitmap::append(size_t count, bool bit) {
    if (bit && _size % 8 != 0) {
        const size_t fitting = std::min(count, 8 - _size % 8);
        _bytes.back() |= static_cast<uint8_t>(((1u << fitting) - 1) << (_size % 8));
    }
    _size += count;
    const size_t before = _bytes.size();
    _bytes.resize(bytes_for(_size), bit ? 0xff : 0);
    if (bit && _bytes.size() != before && _size % 8 != 0) {
        _bytes.back() = static_cast<uint8_t>((1u << (_size % 8)) - 1);
    }
}

size_t bitmap::count(size_t begin, size_t end) const {
    assert(begin <= end && end <= _size);
    size_t ones = 0;
    size_t i = begin;
    for (; i < end && i % 8 != 0; ++i) {
        ones += (*this)[i];
    }
    for (; i + 64 <= end; i += 64) {
        uint64_t word = 0;
        std::memcpy(&word, _bytes.data() + i / 8, sizeof word);
        ones += static_cast<size_t>(std::popcount(word));
    }
    for (; i < end; ++i) {
        ones += (*this)[i];
    }
    return ones;
}

void bitmap::copy(size_t begin, size_t end, std::span<uint8_t> out) const {
    assert(begin <= end && end <= _size && out.size() == bytes_for(end - begin));
    const unsigned shift = begin % 8;
    for (size_t i = 0; i < out.size(); ++i) {
        const size_t from = begin / 8 + i;
        const unsigned next = shift != 0 && from + 1 < _bytes.size() ? _bytes[from + 1] : 0;
        out[i] = static_cast<uint8_t>(_bytes[from] >> shift | next << (8 - shift));
    }
    if (const unsigned used = (end - begin) % 8; used != 0) {
        out.back() &= static_cast<uint8_t>((1u << used) - 1);
    }
}

void encode_bitmap(const bitmap& bits, std::string& out) {
    if (bits.size() == 0) {
        return;
    }
    if (const size_t ones = bits.count(); ones == 0 || ones == bits.size()) {
        out.push_back(static_cast<char>(ones == 0 ? bitmap_layout::zeros : bitmap_layout::ones));
        return;
    }
    if (const auto runs = runs_of(bits); runs.size() <= runs_max(bits.size())) {
        std::string coded;
        coded.push_back(static_cast<char>(bitmap_layout::runs));
        coded.push_back(static_cast<char>(bits[0]));
        base::put_varint(coded, runs.size());
        encode_int_column(runs, coded);
        if (coded.size() < 1 + bits.bytes().size()) {
            out += coded;
            return;
        }
    }
    out.push_back(static_cast<char>(bitmap_layout::raw));
    out.append(reinterpret_cast<const char*>(bits.bytes().data()), bits.bytes().size());
}

bool decode_bitmap(std::string_view bytes, size_t count, bitmap& out) {
    out.clear();
    if (count == 0) {
        return bytes.empty();
    }
    base::byte_reader in(bytes);
    const auto how = static_cast<bitmap_layout>(in.fixed<uint8_t>());
    if (!in.ok() || count > column_values_max) {
        return false;
    }
    switch (how) {
    case bitmap_layout::zeros:
    case bitmap_layout::ones: out.append(count, how == bitmap_layout::ones); return in.done();
    case bitmap_layout::runs: return take_runs(in, count, out);
    case bitmap_layout::raw: {
        const auto raw = in.take(bitmap::bytes_for(count));
        const unsigned used = count % 8;
        if (!in.done() || (used != 0 && static_cast<uint8_t>(raw.back()) >> used != 0)) {
            return false;
        }
        out._bytes.assign(raw.begin(), raw.end());
        out._size = count;
        return true;
    }
    }
    return false;
}

} // namespace tables::codec
