#include "tables/core/codec/real_column.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <memory>

#include "tables/core/codec/real_vector.hh"

namespace tables::codec {
namespace {

enum class real_layout : uint8_t { constant = 0, vectors = 1 };

uint64_t bits_of(double value) {
    return std::bit_cast<uint64_t>(value);
}

} // namespace

void encode_real_column(std::span<const double> values, std::string& out) {
    assert(values.size() <= column_values_max);
    if (values.empty()) {
        return;
    }
    if (std::ranges::all_of(values, [&](double v) { return bits_of(v) == bits_of(values.front()); })) {
        out.push_back(static_cast<char>(real_layout::constant));
        base::put_fixed(out, bits_of(values.front()));
        return;
    }
    out.push_back(static_cast<char>(real_layout::vectors));
    const auto encoder = std::make_unique<real_encoder>();
    put_vectors<double>(values, out, [&](std::span<const double> v, std::string& o) { encoder->encode(v, o); });
}

std::optional<real_column> real_column::open(std::string_view bytes, size_t count) {
    real_column column;
    column._count = count;
    if (count == 0) {
        return bytes.empty() ? std::optional(column) : std::nullopt;
    }
    base::byte_reader in(bytes);
    const auto how = static_cast<real_layout>(in.fixed<uint8_t>());
    if (!in.ok() || count > column_values_max) {
        return std::nullopt;
    }
    if (how == real_layout::constant) {
        column._constant = std::bit_cast<double>(in.fixed<uint64_t>());
        return in.done() ? std::optional(column) : std::nullopt;
    }
    const bool is_good = how == real_layout::vectors && column._vectors.open(in.rest(), count);
    return is_good ? std::optional(column) : std::nullopt;
}

bool real_column::decode(size_t begin, std::span<double> out) const {
    assert(begin + out.size() <= _count);
    if (_constant) {
        std::ranges::fill(out, *_constant);
        return true;
    }
    return decode_range(_vectors, begin, out, decode_reals);
}

} // namespace tables::codec
