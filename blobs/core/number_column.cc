#include "blobs/core/number_column.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace blobs {
namespace {

enum form : uint8_t { constant = 0, plain = 1, differences = 2 };
constexpr uint8_t divisor_bit = 4;
constexpr unsigned planes_shift = 3;

constexpr std::array plane_streams{stream::still, stream::calm, stream::busy, stream::stored};

// Few bytes tell nothing about how much they vary.
constexpr size_t judged_from = 64;
// So many values of a column show whether values or differences are smaller.
constexpr size_t judged_values = 1'024;

// By the chance that two bytes of the plane are the same, which is cheap to have and close enough to an entropy.
unsigned stream_of(std::string_view plane) {
    if (plane.size() < judged_from) {
        return 1;
    }
    std::array<uint32_t, 256> counts{};
    for (const char c : plane) {
        ++counts[static_cast<uint8_t>(c)];
    }
    uint64_t pairs = 0;
    for (const uint64_t count : counts) {
        pairs += count * count;
    }
    const uint64_t all = static_cast<uint64_t>(plane.size()) * plane.size();
    if (pairs * 8 > all * 5) {
        return 0;
    }
    if (pairs * 20 > all) {
        return 1;
    }
    // Even bytes that are all equally likely meet by chance, more so when there are few.
    return pairs * 170 > all + 170 * plane.size() ? 2 : 3;
}

struct frame {
    uint64_t least = 0;
    uint64_t divisor = 1;
    uint64_t most = 0; // quotient
};

// As signed numbers, since differences are.
frame frame_of(std::span<const uint64_t> values) {
    int64_t least = INT64_MAX;
    int64_t greatest = INT64_MIN;
    for (const uint64_t v : values) {
        least = std::min(least, static_cast<int64_t>(v));
        greatest = std::max(greatest, static_cast<int64_t>(v));
    }
    frame f{.least = static_cast<uint64_t>(least)};
    f.most = static_cast<uint64_t>(greatest) - f.least;
    if (f.most == 0) {
        return f;
    }
    uint64_t common = f.most;
    for (size_t i = 0; i < values.size() && common != 1; ++i) {
        const uint64_t v = values[i] - f.least;
        // Most often it divides this one as well, which is cheaper to find out.
        if (v != 0 && v % common != 0) {
            common = std::gcd(common, v);
        }
    }
    f.divisor = common;
    f.most /= f.divisor;
    return f;
}

// About what the quotients of a few of the values take.
uint64_t cost_bits(std::span<const uint64_t> values, const frame& f) {
    uint64_t bits = 0;
    for (const uint64_t v : values) {
        bits += static_cast<uint64_t>(std::bit_width((v - f.least) | 1)) + 1;
    }
    return bits - std::min(bits, values.size() * static_cast<uint64_t>(std::bit_width(f.divisor) - 1));
}

void put_planes(std::span<const uint64_t> residuals, unsigned count, std::string& plane, block_streams& out) {
    std::array<unsigned, 8> chosen{};
    uint64_t packed = 0;
    plane.resize(residuals.size());
    for (unsigned p = 0; p < count; ++p) {
        for (size_t i = 0; i < residuals.size(); ++i) {
            plane[i] = static_cast<char>(residuals[i] >> (8 * p));
        }
        chosen[p] = stream_of(plane);
        packed |= static_cast<uint64_t>(chosen[p]) << (2 * p);
        out[plane_streams[chosen[p]]] += plane;
    }
    base::put_varint(out[stream::heads], packed);
}

// The first one also sets what was there before.
void take_plane(std::string_view plane, unsigned number, std::span<uint64_t> out) {
    const char* const from = plane.data();
    if (number == 0) {
        for (size_t i = 0; i < out.size(); ++i) {
            out[i] = static_cast<uint8_t>(from[i]);
        }
        return;
    }
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] |= static_cast<uint64_t>(static_cast<uint8_t>(from[i])) << (8 * number);
    }
}

} // namespace

void number_writer::put(std::span<const uint64_t> values, block_streams& out) {
    if (values.empty()) {
        return;
    }
    auto& heads = out[stream::heads];
    frame f = frame_of(values);
    if (f.most == 0) {
        heads.push_back(static_cast<char>(constant));
        base::put_varint(heads, base::zigzag(static_cast<int64_t>(f.least)));
        return;
    }
    _differences.resize(values.size() - 1);
    for (size_t i = 1; i < values.size(); ++i) {
        _differences[i - 1] = values[i] - values[i - 1];
    }
    const frame d = frame_of(_differences);
    const size_t sample = std::min(_differences.size(), judged_values);
    const uint64_t by_values_bits = cost_bits(values.first(sample), f);
    const bool by_differences = cost_bits(std::span(_differences).first(sample), d) + sample / 4 < by_values_bits;
    const std::span<const uint64_t> coded = by_differences ? std::span<const uint64_t>(_differences) : values;
    f = by_differences ? d : f;
    const auto planes_count = static_cast<unsigned>(std::bit_width(f.most | 1) + 7) / 8;
    heads.push_back(static_cast<char>((by_differences ? differences : plain) | (f.divisor != 1 ? divisor_bit : 0) |
                                      (planes_count - 1) << planes_shift));
    base::put_varint(heads, base::zigzag(static_cast<int64_t>(f.least)));
    if (by_differences) {
        base::put_varint(heads, values.front());
    }
    if (f.divisor != 1) {
        base::put_varint(heads, f.divisor);
    }
    _residuals.resize(coded.size());
    if (f.divisor == 1) {
        std::ranges::transform(coded, _residuals.begin(), [&](uint64_t v) { return v - f.least; });
    } else {
        std::ranges::transform(coded, _residuals.begin(), [&](uint64_t v) { return (v - f.least) / f.divisor; });
    }
    put_planes(_residuals, planes_count, _plane, out);
}

void take_numbers(stream_readers& in, std::span<uint64_t> out) {
    if (out.empty()) {
        return;
    }
    auto& heads = in[stream::heads];
    const auto head = heads.fixed<uint8_t>();
    const auto least = static_cast<uint64_t>(base::unzigzag(heads.varint()));
    const unsigned how = head & 3;
    if (how == constant) {
        std::ranges::fill(out, least);
        return;
    }
    const uint64_t first = how == differences ? heads.varint() : 0;
    const uint64_t divisor = (head & divisor_bit) != 0 ? heads.varint() : 1;
    const uint64_t packed = heads.varint();
    const auto target = how == differences ? out.subspan(1) : out;
    const unsigned planes_count = (head >> planes_shift & 7) + 1;
    for (unsigned p = 0; p < planes_count; ++p) {
        const auto plane = in[plane_streams[packed >> (2 * p) & 3]].take(target.size());
        if (plane.size() != target.size() || how > differences) {
            heads.set_failed();
            return;
        }
        take_plane(plane, p, target);
    }
    if (divisor != 1 || least != 0) {
        for (uint64_t& v : target) {
            v = v * divisor + least;
        }
    }
    if (how == differences) {
        out[0] = first;
        std::partial_sum(out.begin(), out.end(), out.begin());
    }
}

} // namespace blobs
