#include "query/core/block_stats.hh"

#include <bit>

#include "tables/core/codec/real_vector.hh"
#include "tables/core/key.hh"

namespace query {

using tables::value;
using tables::value_type;

namespace {

constexpr value_type types[] = {value_type::int32,   value_type::int64,  value_type::datetime, value_type::real,
                                value_type::boolean, value_type::string, value_type::binary,   value_type::guid};

value number_of(value_type type, int64_t bits) {
    switch (type) {
    case value_type::int32: return value::of_int32(static_cast<int32_t>(bits));
    case value_type::int64: return value::of_int64(bits);
    case value_type::datetime: return value::of_datetime(base::tick{bits});
    case value_type::boolean: return value::of_boolean(bits != 0);
    default: return value::of_real(std::bit_cast<double>(tables::codec::ordered_bits(bits)));
    }
}

// Any value of its type.
column_stats open_column(value_type type) {
    column_stats column{.min = value::of_int32(0), .max = value::of_int32(0), .is_open = true};
    switch (type) {
    case value_type::string: column.min = value::of_string({}); break;
    case value_type::binary: column.min = value::of_binary({}); break;
    case value_type::guid: column.min = value::of_guid({}); break;
    default: column.min = number_of(type, 0);
    }
    return column;
}

} // namespace

column_stats block_stats::stats_of(value_type type, const tables::value_range& range) {
    if (!range.has_bounds || range.is_high_cut) {
        return open_column(type);
    }
    if (type == value_type::string) {
        return {.min = value::of_string(tables::uncollate(range.low_text, _low)),
                .max = value::of_string(tables::uncollate(range.high_text, _high))};
    }
    return {.min = number_of(type, range.low), .max = number_of(type, range.high), .may_hold_nan = range.has_nan};
}

property_stats block_stats::property(std::string_view name) {
    _columns.clear();
    uint64_t values_count = 0;
    for (const auto type : types) {
        const auto id = _segment.schema().find(name, type);
        const auto range = id ? _segment.range(_block, *id) : std::nullopt;
        if (range) {
            values_count += range->values_count;
            _columns.push_back(stats_of(type, *range));
        }
    }
    return {_columns, values_count < _segment.block(_block).rows_count};
}

property_stats block_stats::property_or_tag(std::string_view name) {
    auto stats = property(name);
    _columns.push_back(open_column(value_type::string));
    stats.columns = _columns;
    return stats;
}

} // namespace query
