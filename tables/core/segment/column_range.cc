#include "tables/core/segment/column_range.hh"

#include <bit>
#include <cassert>
#include <compare>

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/real_vector.hh"
#include "tables/core/codec/text_column.hh"
#include "tables/core/key.hh"
#include "tables/core/segment/column_chunks.hh"

namespace tables {
namespace {

value_orders between(std::partial_ordering low_to_literal, std::partial_ordering high_to_literal) {
    value_orders orders;
    orders.less = low_to_literal < 0;
    orders.equal = low_to_literal <= 0 && high_to_literal >= 0;
    orders.greater = high_to_literal > 0;
    return orders;
}

int64_t ordered_int(const value& v) {
    switch (v.type()) {
    case value_type::boolean: return v.as_boolean() ? 1 : 0;
    case value_type::datetime: return v.as_datetime().value;
    case value_type::int32: return v.as_int32();
    default: return v.as_int64();
    }
}

double as_real(int64_t ordered) {
    return std::bit_cast<double>(codec::ordered_bits(ordered));
}

value_orders real_orders(const value_range& range, double literal) {
    if (literal != literal) {
        return {.unordered = true};
    }
    auto orders = range.has_bounds ? between(as_real(range.low) <=> literal, as_real(range.high) <=> literal) : value_orders{};
    orders.unordered = range.has_nan;
    return orders;
}

value_orders text_orders(const value_range& range, std::string_view literal) {
    std::string scratch;
    const auto collated = collate(literal, scratch);
    const auto low = range.low_text <=> collated;
    auto high = range.high_text <=> collated;
    // What was cut off makes the highest value greater than its prefix, and so maybe than a literal that begins with it.
    if (range.is_high_cut && collated.starts_with(range.high_text)) {
        high = std::strong_ordering::greater;
    }
    return between(low, high);
}

value as_value(value_type type, int64_t bound) {
    switch (type) {
    case value_type::boolean: return value::of_boolean(bound != 0);
    case value_type::datetime: return value::of_datetime({bound});
    case value_type::int32: return value::of_int32(static_cast<int32_t>(bound));
    case value_type::real: return value::of_real(as_real(bound));
    default: return value::of_int64(bound);
    }
}

} // namespace

value typed_range::low() const {
    return as_value(type, values.low);
}

value typed_range::high() const {
    return as_value(type, values.high);
}

value_orders orders_in(const value_range& range, value_type type, const value& literal) {
    if (type == value_type::real) {
        return real_orders(range, literal.as_real());
    }
    if (!range.has_bounds) {
        return {.less = true, .equal = true, .greater = true};
    }
    if (type == value_type::string) {
        return text_orders(range, literal.as_string());
    }
    const int64_t against = ordered_int(literal);
    return between(range.low <=> against, range.high <=> against);
}

void column_ranges::add(size_t block, const value_range& range) {
    assert(block >= _blocks.size());
    _blocks.append(block - _blocks.size(), false);
    _blocks.push_back(true);
    _with_bounds.push_back(range.has_bounds);
    _with_nan.push_back(range.has_nan);
    _with_high_cut.push_back(range.is_high_cut);
    _values_counts.push_back(range.values_count);
    if (_type == value_type::string) {
        _low_texts.push_back(range.low_text);
        _high_texts.push_back(range.high_text);
    } else {
        _lows.push_back(range.low);
        _highs.push_back(range.high);
    }
}

std::optional<value_range> column_ranges::find(size_t block) const {
    if (block >= _blocks.size() || !_blocks[block]) {
        return std::nullopt;
    }
    const size_t i = _blocks.count(0, block);
    value_range range{.values_count = static_cast<uint32_t>(_values_counts[i]),
                      .has_bounds = _with_bounds[i],
                      .has_nan = _with_nan[i],
                      .is_high_cut = _with_high_cut[i]};
    if (_type == value_type::string) {
        range.low_text = _low_texts[i];
        range.high_text = _high_texts[i];
    } else {
        range.low = _lows[i];
        range.high = _highs[i];
    }
    return range;
}

void column_ranges::encode(size_t blocks_count, codec::zstd_compressor& zstd, std::string& out) const {
    auto blocks = _blocks;
    blocks.append(blocks_count - blocks.size(), false);
    put_chunk(blocks, out);
    put_chunk(_with_bounds, out);
    put_chunk(_with_nan, out);
    put_chunk(_with_high_cut, out);
    put_chunk(_values_counts, out);
    if (_type == value_type::string) {
        put_chunk(_low_texts, zstd, out);
        put_chunk(_high_texts, zstd, out);
    } else {
        put_chunk(_lows, out);
        put_chunk(_highs, out);
    }
}

column_ranges column_ranges::take(base::byte_reader& in, value_type type, size_t blocks_count, codec::zstd_decompressor& zstd) {
    column_ranges ranges(type);
    take_chunk(in, blocks_count, ranges._blocks);
    const size_t count = in.ok() ? ranges._blocks.count() : 0;
    take_chunk(in, count, ranges._with_bounds);
    take_chunk(in, count, ranges._with_nan);
    take_chunk(in, count, ranges._with_high_cut);
    take_chunk(in, count, ranges._values_counts);
    if (type == value_type::string) {
        take_chunk(in, count, zstd, ranges._low_texts);
        take_chunk(in, count, zstd, ranges._high_texts);
    } else {
        take_chunk(in, count, ranges._lows);
        take_chunk(in, count, ranges._highs);
    }
    return ranges;
}

} // namespace tables
