#include "tables/core/codec/real_split.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/coding.hh"
#include "tables/core/codec/bit_packing.hh"
#include "tables/core/codec/limits.hh"
#include "tables/core/codec/varint_size.hh"

namespace tables::codec {
namespace {

constexpr unsigned right_bits_min = 64 - split_plan::left_bits_max;
constexpr unsigned right_bits_max = 63;
constexpr unsigned dictionary_max = 1 << split_plan::code_bits_max;
constexpr size_t split_sample_max = 128;

uint16_t left_part(double value, unsigned right_bits) {
    return static_cast<uint16_t>(std::bit_cast<uint64_t>(value) >> right_bits);
}

size_t exception_bits(size_t count) {
    return 16 + place_width(count);
}

struct part_count {
    uint16_t part;
    uint16_t count;
};

// The most frequent first. `sorted` are the 16 highest bits of a sample; fewer of them keep their order.
size_t frequent_parts(std::span<const uint16_t> sorted, unsigned right_bits, std::array<part_count, split_sample_max>& parts) {
    const unsigned dropped = right_bits - right_bits_min;
    size_t size = 0;
    for (const uint16_t top : sorted) {
        const auto part = static_cast<uint16_t>(top >> dropped);
        if (size == 0 || parts[size - 1].part != part) {
            parts[size++] = {part, 0};
        }
        ++parts[size - 1].count;
    }
    const size_t kept = std::min<size_t>(size, dictionary_max);
    std::partial_sort(parts.begin(), parts.begin() + kept, parts.begin() + size,
                      [](const part_count& a, const part_count& b) { return a.count > b.count; });
    return size;
}

// How many bits the sample would take at this cut, for the best size of dictionary.
struct cut {
    size_t cost = SIZE_MAX;
    split_plan plan;
};

void try_cut(std::span<const uint16_t> sorted, unsigned right_bits, size_t count, cut& best) {
    std::array<part_count, split_sample_max> parts;
    const size_t size = frequent_parts(sorted, right_bits, parts);
    for (unsigned code_bits = 0; code_bits <= split_plan::code_bits_max; ++code_bits) {
        const size_t entries = std::min<size_t>(size, size_t{1} << code_bits);
        size_t covered = 0;
        for (size_t i = 0; i < entries; ++i) {
            covered += parts[i].count;
        }
        const size_t cost = sorted.size() * (right_bits + code_bits) + (sorted.size() - covered) * exception_bits(count);
        if (cost < best.cost) {
            best.cost = cost;
            best.plan = {.right_bits = static_cast<uint8_t>(right_bits), .code_bits = static_cast<uint8_t>(code_bits)};
            for (size_t i = 0; i < entries; ++i) {
                best.plan.dictionary[i] = parts[i].part;
            }
        }
    }
}

// The code of a left part; the number of entries when it has none.
unsigned code_of(const split_plan& plan, uint16_t part) {
    const auto end = plan.dictionary.begin() + (1 << plan.code_bits);
    return static_cast<unsigned>(std::find(plan.dictionary.begin(), end, part) - plan.dictionary.begin());
}

size_t exact_size(const split_plan& plan, size_t count) {
    const size_t exceptions = plan.exceptions_count;
    return 2 + (sizeof(uint16_t) << plan.code_bits) + varint_size(exceptions) + packed_size(count, plan.code_bits) +
           packed_size(count, plan.right_bits) + packed_size(exceptions, place_width(count)) + exceptions * sizeof(uint16_t);
}

struct parts {
    std::array<uint64_t, vector_size> codes;
    std::array<uint64_t, vector_size> rights;
    std::array<uint64_t, vector_size> places;
    std::array<uint16_t, vector_size> exceptions;
    size_t exceptions_count = 0;
};

void cut_all(std::span<const double> values, const split_plan& plan, parts& out) {
    for (size_t i = 0; i < values.size(); ++i) {
        const auto part = left_part(values[i], plan.right_bits);
        const unsigned code = code_of(plan, part);
        const bool is_exception = code >> plan.code_bits != 0;
        out.codes[i] = is_exception ? 0 : code;
        out.rights[i] = std::bit_cast<uint64_t>(values[i]) & ((uint64_t{1} << plan.right_bits) - 1);
        if (is_exception) {
            out.places[out.exceptions_count] = i;
            out.exceptions[out.exceptions_count++] = part;
        }
    }
}

// Left parts that have no code, each at its place.
bool place_exceptions(std::string_view packed_places, std::string_view exceptions, std::span<uint64_t> lefts) {
    const size_t count = exceptions.size() / sizeof(uint16_t);
    std::array<uint64_t, vector_size> places;
    unpack(packed_places, place_width(lefts.size()), {places.data(), count});
    for (size_t e = 0; e < count; ++e) {
        if (places[e] >= lefts.size()) {
            return false;
        }
        uint16_t left = 0;
        std::memcpy(&left, exceptions.data() + e * sizeof left, sizeof left);
        lefts[places[e]] = left;
    }
    return true;
}

} // namespace

split_plan plan_split(std::span<const double> values) {
    assert(!values.empty() && values.size() <= vector_size);
    std::array<uint16_t, split_sample_max> sample;
    size_t size = 0;
    const size_t step = (values.size() + split_sample_max - 1) / split_sample_max;
    for (size_t i = 0; i < values.size(); i += step) {
        sample[size++] = left_part(values[i], right_bits_min);
    }
    std::sort(sample.begin(), sample.begin() + size);

    cut best;
    for (unsigned right_bits = right_bits_min; right_bits <= right_bits_max; ++right_bits) {
        try_cut({sample.data(), size}, right_bits, values.size(), best);
    }
    auto& plan = best.plan;
    plan.exceptions_count = static_cast<uint32_t>(std::ranges::count_if(
        values, [&](double v) { return code_of(plan, left_part(v, plan.right_bits)) >> plan.code_bits != 0; }));
    plan.size = exact_size(plan, values.size());
    return plan;
}

void encode_split(std::span<const double> values, const split_plan& plan, std::string& out) {
    parts p;
    cut_all(values, plan, p);
    assert(p.exceptions_count == plan.exceptions_count);
    out.push_back(static_cast<char>(plan.right_bits));
    out.push_back(static_cast<char>(plan.code_bits));
    out.append(reinterpret_cast<const char*>(plan.dictionary.data()), sizeof(uint16_t) << plan.code_bits);
    base::put_varint(out, p.exceptions_count);
    pack({p.codes.data(), values.size()}, plan.code_bits, out);
    pack({p.rights.data(), values.size()}, plan.right_bits, out);
    pack({p.places.data(), p.exceptions_count}, place_width(values.size()), out);
    out.append(reinterpret_cast<const char*>(p.exceptions.data()), p.exceptions_count * sizeof(uint16_t));
}

bool decode_split(std::string_view bytes, std::span<double> out) {
    base::byte_reader in(bytes);
    const unsigned right_bits = in.fixed<uint8_t>();
    const unsigned code_bits = in.fixed<uint8_t>();
    if (right_bits < right_bits_min || right_bits > right_bits_max || code_bits > split_plan::code_bits_max) {
        return false;
    }
    std::array<uint16_t, dictionary_max> dictionary{};
    std::ranges::copy(in.take(sizeof(uint16_t) << code_bits), reinterpret_cast<char*>(dictionary.data()));
    const uint64_t exceptions_count = in.varint();
    if (exceptions_count > out.size()) {
        return false;
    }
    const auto packed_codes = in.take(packed_size(out.size(), code_bits));
    const auto packed_rights = in.take(packed_size(out.size(), right_bits));
    const auto packed_places = in.take(packed_size(exceptions_count, place_width(out.size())));
    const auto exceptions = in.take(exceptions_count * sizeof(uint16_t));
    if (!in.done()) {
        return false;
    }
    std::array<uint64_t, vector_size> lefts;
    unpack(packed_codes, code_bits, {lefts.data(), out.size()});
    for (size_t i = 0; i < out.size(); ++i) {
        lefts[i] = dictionary[lefts[i]];
    }
    if (!place_exceptions(packed_places, exceptions, {lefts.data(), out.size()})) {
        return false;
    }
    std::array<uint64_t, vector_size> rights;
    unpack(packed_rights, right_bits, {rights.data(), out.size()});
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = std::bit_cast<double>(lefts[i] << right_bits | rights[i]);
    }
    return true;
}

} // namespace tables::codec
