#include "tables/core/codec/prefix_code.hh"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "tables/core/codec/bit_packing.hh"
#include "tables/core/codec/varint_size.hh"

namespace tables::codec {
namespace {

constexpr unsigned symbols_max = prefix_code::symbols_max;
constexpr unsigned length_max = prefix_code::length_max;
constexpr unsigned length_bits = 4;
constexpr size_t lane_symbols_max = vector_size / prefix_code::lanes_count;
constexpr size_t lane_bytes_max = lane_symbols_max * length_max / 8;
// So many codes are in a word of eight bytes, wherever in its first byte they begin.
constexpr size_t word_codes = 7;
static_assert(word_codes * length_max + 7 < 64);

// Symbols from the rarest to the most frequent one.
struct ranking {
    std::array<uint8_t, symbols_max> symbols;
    std::array<uint32_t, symbols_max> weights;
    size_t size = 0;
};

ranking rank(const prefix_code::counts& counts) {
    std::array<uint32_t, symbols_max> totals{};
    for (const auto& lane : counts) {
        for (size_t s = 0; s < symbols_max; ++s) {
            totals[s] += lane[s];
        }
    }
    ranking r;
    for (size_t s = 0; s < symbols_max; ++s) {
        if (totals[s] != 0) {
            r.symbols[r.size++] = static_cast<uint8_t>(s);
        }
    }
    std::sort(r.symbols.begin(), r.symbols.begin() + r.size, [&](uint8_t a, uint8_t b) { return totals[a] < totals[b]; });
    std::transform(r.symbols.begin(), r.symbols.begin() + r.size, r.weights.begin(), [&](uint8_t s) { return totals[s]; });
    return r;
}

// One level of the package-merge: the symbols and the pairs of the level below, by weight.
struct level {
    std::array<uint32_t, 2 * symbols_max> weights;
    std::array<bool, 2 * symbols_max> is_symbol;
    size_t size = 0;

    void add(uint32_t weight, bool symbol) {
        weights[size] = weight;
        is_symbol[size++] = symbol;
    }
};

void merge(const ranking& r, const level& below, level& out) {
    size_t next = 0;
    for (size_t pair = 0; pair + 1 < below.size; pair += 2) {
        const uint32_t weight = below.weights[pair] + below.weights[pair + 1];
        for (; next < r.size && r.weights[next] <= weight; ++next) {
            out.add(r.weights[next], true);
        }
        out.add(weight, false);
    }
    for (; next < r.size; ++next) {
        out.add(r.weights[next], true);
    }
}

// What a code of length_max bits may begin with: the symbol and how many of the bits are its own.
struct entry {
    uint8_t symbol;
    uint8_t length;
};
using code_entries = std::array<entry, 1 << length_max>;

uint8_t reversed(unsigned code, unsigned length) {
    unsigned bits = 0;
    for (unsigned i = 0; i < length; ++i) {
        bits = bits << 1 | (code >> i & 1);
    }
    return static_cast<uint8_t>(bits);
}

// visit(symbol, length, the bits of its code, lowest first). Shorter codes first, among equal ones the lesser symbol.
void for_each_code(std::span<const uint8_t> lengths, const auto& visit) {
    unsigned code = 0;
    for (unsigned length = 1; length <= length_max; ++length, code <<= 1) {
        for (size_t s = 0; s < lengths.size(); ++s) {
            if (lengths[s] == length) {
                visit(static_cast<uint8_t>(s), length, reversed(code++, length));
            }
        }
    }
}

code_entries table_of(std::span<const uint8_t> lengths) {
    code_entries table;
    for_each_code(lengths, [&](uint8_t symbol, unsigned length, unsigned bits) {
        for (size_t i = bits; i < table.size(); i += size_t{1} << length) {
            table[i] = {symbol, static_cast<uint8_t>(length)};
        }
    });
    return table;
}

bool is_complete(std::span<const uint8_t> lengths) {
    unsigned used = 0;
    for (const uint8_t length : lengths) {
        if (length > length_max) {
            return false;
        }
        used += length == 0 ? 0 : 1u << (length_max - length);
    }
    return used == 1u << length_max;
}

size_t used_symbols(std::span<const uint8_t> lengths) {
    size_t used = lengths.size();
    while (used > 0 && lengths[used - 1] == 0) {
        --used;
    }
    return used;
}

// All lanes behind each other and zeros behind them, so that a lane that runs over its end still reads our memory.
struct lane_bytes {
    std::array<char, prefix_code::lanes_count * lane_bytes_max + lane_bytes_max + sizeof(uint64_t)> bytes;
    prefix_code::lane_sizes begins; // in bits
    prefix_code::lane_sizes ends;

    uint64_t word(size_t bit) const {
        uint64_t word;
        std::memcpy(&word, bytes.data() + bit / 8, sizeof word);
        return word >> bit % 8;
    }
};

bool copy_lanes(base::byte_reader& in, lane_bytes& to) {
    prefix_code::lane_sizes sizes;
    for (auto& size : sizes) {
        size = in.varint();
    }
    size_t end = 0;
    for (size_t lane = 0; lane < prefix_code::lanes_count; ++lane) {
        const auto bytes = in.take(sizes[lane]);
        if (!in.ok() || bytes.size() > lane_bytes_max) {
            return false;
        }
        std::ranges::copy(bytes, to.bytes.begin() + static_cast<ptrdiff_t>(end));
        to.begins[lane] = end * 8;
        end += bytes.size();
        to.ends[lane] = end * 8;
    }
    std::fill(to.bytes.begin() + static_cast<ptrdiff_t>(end), to.bytes.end(), '\0');
    return true;
}

} // namespace

// Package-merge: the least sum of weight * length among all codes of at most length_max bits.
prefix_code prefix_code::for_counts(const counts& counted) {
    const auto r = rank(counted);
    assert(r.size >= 2);
    std::array<level, length_max> levels;
    merge(r, level(), levels[0]);
    for (size_t l = 1; l < length_max; ++l) {
        merge(r, levels[l - 1], levels[l]);
    }
    prefix_code code;
    size_t chosen = 2 * r.size - 2;
    for (size_t l = length_max; l-- > 0 && chosen > 0;) {
        assert(chosen <= levels[l].size);
        const auto begin = levels[l].is_symbol.begin();
        const auto symbols = static_cast<size_t>(std::count(begin, begin + static_cast<ptrdiff_t>(chosen), true));
        for (size_t i = 0; i < symbols; ++i) {
            ++code._lengths[r.symbols[i]];
        }
        chosen = 2 * (chosen - symbols);
    }
    assert(is_complete(code._lengths));
    return code;
}

size_t prefix_code::size() const {
    return 1 + packed_size(used_symbols(_lengths), length_bits);
}

void prefix_code::put(std::string& out) const {
    const size_t used = used_symbols(_lengths);
    std::array<uint64_t, symbols_max> lengths;
    std::ranges::copy(_lengths, lengths.begin());
    out.push_back(static_cast<char>(used));
    pack({lengths.data(), used}, length_bits, out);
}

prefix_code prefix_code::take(base::byte_reader& in) {
    prefix_code code;
    const size_t used = in.fixed<uint8_t>();
    const auto packed = in.take(packed_size(used, length_bits));
    if (!in.ok() || used > symbols_max) {
        in.set_failed();
        return code;
    }
    std::array<uint64_t, symbols_max> lengths;
    unpack(packed, length_bits, {lengths.data(), used});
    std::copy_n(lengths.begin(), used, code._lengths.begin());
    if (!is_complete(code._lengths)) {
        in.set_failed();
    }
    return code;
}

prefix_code::lane_sizes prefix_code::sizes(const counts& counted) const {
    lane_sizes sizes;
    for (size_t lane = 0; lane < prefix_code::lanes_count; ++lane) {
        size_t bits = 0;
        for (size_t s = 0; s < symbols_max; ++s) {
            bits += size_t{counted[lane][s]} * _lengths[s];
        }
        sizes[lane] = (bits + 7) / 8;
    }
    return sizes;
}

size_t prefix_code::lanes_size(const lane_sizes& sizes) {
    size_t all = 0;
    for (const size_t size : sizes) {
        all += varint_size(size) + size;
    }
    return all;
}

void prefix_code::put_lanes(std::span<const uint8_t> symbols, const lane_sizes& sizes, std::string& out) const {
    for (const size_t size : sizes) {
        base::put_varint(out, size);
    }
    std::array<uint8_t, symbols_max> bits{};
    for_each_code(_lengths, [&](uint8_t symbol, unsigned, uint8_t code) { bits[symbol] = code; });
    for (size_t lane = 0; lane < prefix_code::lanes_count; ++lane) {
        const size_t end = out.size() + sizes[lane];
        uint64_t word = 0;
        unsigned filled = 0;
        for (size_t i = lane; i < symbols.size(); i += prefix_code::lanes_count) {
            word |= uint64_t{bits[symbols[i]]} << filled;
            filled += _lengths[symbols[i]];
            if (filled >= 32) {
                out.append(reinterpret_cast<const char*>(&word), sizeof(uint32_t));
                word >>= 32;
                filled -= 32;
            }
        }
        out.append(reinterpret_cast<const char*>(&word), end - out.size());
    }
}

void prefix_code::take_lanes(base::byte_reader& in, std::span<uint8_t> out) const {
    lane_bytes lanes;
    if (!copy_lanes(in, lanes)) {
        in.set_failed();
        return;
    }
    const auto table = table_of(_lengths);
    auto at = lanes.begins;
    const auto take = [&](uint64_t& word, size_t& bit) {
        const entry e = table[word & (table.size() - 1)];
        word >>= e.length;
        bit += e.length;
        return e.symbol;
    };
    size_t i = 0;
    while (i + prefix_code::lanes_count * word_codes <= out.size()) {
        std::array<uint64_t, prefix_code::lanes_count> words{lanes.word(at[0]), lanes.word(at[1]), lanes.word(at[2]),
                                                             lanes.word(at[3])};
        for (size_t n = 0; n < word_codes; ++n, i += prefix_code::lanes_count) {
            out[i] = take(words[0], at[0]);
            out[i + 1] = take(words[1], at[1]);
            out[i + 2] = take(words[2], at[2]);
            out[i + 3] = take(words[3], at[3]);
        }
    }
    for (; i < out.size(); ++i) {
        auto word = lanes.word(at[i % prefix_code::lanes_count]);
        out[i] = take(word, at[i % prefix_code::lanes_count]);
    }
    for (size_t lane = 0; lane < prefix_code::lanes_count; ++lane) {
        if ((at[lane] + 7) / 8 * 8 != lanes.ends[lane]) {
            in.set_failed();
        }
    }
}

} // namespace tables::codec
