// What the values of one column in one block lie between, so that blocks that cannot match are not read; and those ranges for
// all blocks of a segment.
//
// A range is about the rows of its own block only. A row that it hides may still hide an older version of the same row in
// another segment: skip a block only where no older segment can have its keys, or where hidden rows are looked for as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/coding.hh"
#include "tables/core/codec/bitmap.hh"
#include "tables/core/codec/texts.hh"
#include "tables/core/codec/zstd.hh"
#include "tables/core/value.hh"

namespace tables {

// Borrows its texts.
struct value_range {
    uint32_t values_count = 0; // rows of the block that have the property
    bool has_bounds = false;   // never for guids and binaries, nor when all are NaN
    bool has_nan = false;
    bool is_high_cut = false;   // values may go on behind high_text
    int64_t low = 0;            // integers, booleans, ticks; of a real its codec::ordered_bits
    int64_t high = 0;           // included
    std::string_view low_text;  // collated, at most range_text_bytes_max of its bytes
    std::string_view high_text; // collated
};

// Of the column in the type.
struct typed_range {
    value_type type{};
    value_range values;

    // The least and the greatest value. Needs: bounds, of a type without texts.
    value low() const;
    value high() const;
};

// How stored values may stand to a literal.
struct value_orders {
    bool less = false;
    bool equal = false;
    bool greater = false;
    bool unordered = false; // one of the two is a NaN
};

// Needs: a literal of the column's type; of an Int64 column also Int32. Never misses an order that a value of the range has.
value_orders orders_in(const value_range&, value_type, const value& literal);

// One column, all blocks of a segment.
class column_ranges {
public:
    explicit column_ranges(value_type type) : _type(type) {}

    value_type type() const { return _type; }
    // Needs: blocks in ascending order.
    void add(size_t block, const value_range&);
    // Nothing when no row of the block has the property.
    std::optional<value_range> find(size_t block) const;

    void encode(size_t blocks_count, codec::zstd_compressor&, std::string& out) const;
    // The reader has failed when the bytes are not the ranges of a column of this type.
    static column_ranges take(base::byte_reader&, value_type, size_t blocks_count, codec::zstd_decompressor&);

private:
    value_type _type;
    codec::bitmap _blocks; // those that have the column; the rest is of these only
    codec::bitmap _with_bounds;
    codec::bitmap _with_nan;
    codec::bitmap _with_high_cut;
    std::vector<int64_t> _values_counts;
    std::vector<int64_t> _lows;
    std::vector<int64_t> _highs;
    codec::texts _low_texts;
    codec::texts _high_texts;
};

} // namespace tables
