// One column of a block while rows come in: which rows have the property, and the values of those.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tables/core/codec/bitmap.hh"
#include "tables/core/codec/texts.hh"
#include "tables/core/codec/zstd.hh"
#include "tables/core/segment/column_range.hh"
#include "tables/core/value.hh"

namespace tables {

class column_buffer {
public:
    explicit column_buffer(value_type type) : _type(type) {}

    value_type type() const { return _type; }
    // Needs: rows in ascending order, a value of the column's type.
    void add(size_t row, const value&);
    // Of `count` rows from this one on, as packed rows have them (row.hh): the first at `packed`, each `stride` bytes after the
    // one before. Needs: a type that is not in the heap.
    void add_packed(size_t row, size_t count, const char* packed, size_t stride);

    // For a block of so many rows.
    void encode_presence(size_t rows_count, std::string& out);
    void encode_values(codec::zstd_compressor&, std::string& out) const;
    // Borrows from this object until the next call.
    value_range range();

private:
    // The rows before it have no value, as far as nothing was said about them.
    void skip_to(size_t row);
    value_range int_range() const;
    value_range real_range() const;
    value_range text_range();

    value_type _type;
    codec::bitmap _presence;
    // By type: integers, ticks / reals / booleans / strings, binaries, guids.
    std::vector<int64_t> _ints;
    std::vector<double> _reals;
    codec::bitmap _booleans;
    codec::texts _texts;
    std::string _low_text;
    std::string _high_text;
};

} // namespace tables
