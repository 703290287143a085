#include "tables/core/codec/int_column.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/codec/int_vector.hh"

namespace tables::codec {
namespace {

enum class int_layout : uint8_t { constant = 0, vectors = 1 };

} // namespace

void encode_int_column(std::span<const int64_t> values, std::string& out) {
    assert(values.size() <= column_values_max);
    if (values.empty()) {
        return;
    }
    if (std::ranges::all_of(values, [&](int64_t v) { return v == values.front(); })) {
        out.push_back(static_cast<char>(int_layout::constant));
        base::put_varint(out, base::zigzag(values.front()));
        return;
    }
    out.push_back(static_cast<char>(int_layout::vectors));
    put_vectors<int64_t>(values, out, [](std::span<const int64_t> v, std::string& o) { encode_ints(v, plan_ints(v), o); });
}

std::optional<int_column> int_column::open(std::string_view bytes, size_t count) {
    int_column column;
    column._count = count;
    if (count == 0) {
        return bytes.empty() ? std::optional(column) : std::nullopt;
    }
    base::byte_reader in(bytes);
    const auto how = static_cast<int_layout>(in.fixed<uint8_t>());
    if (!in.ok() || count > column_values_max) {
        return std::nullopt;
    }
    if (how == int_layout::constant) {
        column._constant = base::unzigzag(in.varint());
        return in.done() ? std::optional(column) : std::nullopt;
    }
    const bool is_good = how == int_layout::vectors && column._vectors.open(in.rest(), count);
    return is_good ? std::optional(column) : std::nullopt;
}

bool int_column::decode(size_t begin, std::span<int64_t> out) const {
    assert(begin + out.size() <= _count);
    if (_constant) {
        std::ranges::fill(out, *_constant);
        return true;
    }
    return decode_range(_vectors, begin, out, decode_ints);
}

} // namespace tables::codec
