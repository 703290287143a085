// Rows in key order into the bytes of one block, one chunk at a step.
//
//   block     = rows count varint, columns count varint, *size varint (of each key chunk, timestamps, kinds),
//               *(column id varint, presence size varint, values size varint), *chunk
//   chunk     = the key chunks (key_columns.hh), int column of the timestamps, int column of the kinds, and for each column,
//               by ascending id: bitmap of the rows that have it, its values without gaps
//   values    = int column (Int32, Int64, DateTime) / real column / bitmap (Boolean) / text column (String, Binary, Guid)
//
// In the file a checksum follows (segment_layout.hh).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tables/core/segment/column_binder.hh"
#include "tables/core/segment/column_buffer.hh"
#include "tables/core/segment/key_columns.hh"
#include "tables/core/segment/key_filter.hh"
#include "tables/core/segment/segment_row.hh"

namespace tables {

// Chunks that every block has: those of the keys, timestamps, kinds.
constexpr size_t block_chunks_count = key_chunks_count + 2;

class block_builder {
public:
    // Adds the columns of its rows to the schema.
    explicit block_builder(segment_schema& schema) : _binder(schema) {}

    // Needs: after the row before it in key order; no step of encoding since clear(). What time the row key begins with, if it
    // does, comes back.
    std::optional<base::tick> add(const segment_row&);

    bool empty() const { return rows_count() == 0; }
    size_t rows_count() const { return _timestamps.size(); }
    size_t columns_count() const { return _columns.size(); }
    // What the rows take uncoded, about.
    size_t raw_bytes() const { return _raw_bytes; }
    static size_t raw_bytes(const segment_row&);

    // Codes one more chunk; false when all are done. Needs: at least one row.
    bool encode_step(codec::zstd_compressor&);
    // The block without its checksum. Needs: encode_step has said false.
    std::string bytes() const;
    // Forgets the rows.
    void clear();

    // About the rows so far.
    const key_columns_builder& keys() const { return _keys; }
    const key_filter_builder& filter() const { return _filter; }
    std::span<const int64_t> timestamps() const { return _timestamps; }
    std::span<const int64_t> kinds() const { return _kinds; }
    // By ascending id, once encoding has begun.
    struct bound_column {
        column_id id;
        column_buffer buffer;
    };
    std::span<bound_column> columns() { return _columns; }

private:
    explicit block_builder(column_binder binder) : _binder(std::move(binder)) {}
    uint32_t place_of(column_id, value_type);
    void add_values(const row_view&);
    void add_to_run(const row_view&);
    void end_run();
    void encode_common(size_t chunk, codec::zstd_compressor&);

    column_binder _binder;
    key_columns_builder _keys;
    key_filter_builder _filter;
    std::vector<int64_t> _timestamps;
    std::vector<int64_t> _kinds;
    std::vector<bound_column> _columns;
    std::vector<uint32_t> _places; // of a column id in _columns, or no_place
    size_t _raw_bytes = 0;

    // Rows of one shape, one behind the other, that have not been taken apart yet: that goes faster a column at a time.
    struct row_run {
        shape columns;
        std::vector<uint32_t> places; // in _columns
        size_t first_row = 0;
        size_t rows_count = 0;
        std::string packed;
    };
    row_run _run;

    struct coded_column {
        std::string presence;
        std::string values;
    };
    size_t _step = 0;
    std::array<std::string, block_chunks_count> _common;
    std::vector<coded_column> _coded;
};

} // namespace tables
