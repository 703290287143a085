// Rows of a block as they were put into the segment, packed (row.hh): for point gets, merges and whoever wants rows, not columns.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hh"
#include "tables/core/segment/block_view.hh"
#include "tables/core/segment/segment_row.hh"

namespace tables {

// Borrows the block, its bytes, the schema and the decompressor.
class block_rows {
public:
    block_rows(const block_view&, const segment_schema&, codec::zstd_decompressor&);

    // Decodes these rows; what was loaded before is gone. Needs: within the block.
    base::expected<void> load(row_range);

    size_t size() const { return _range.size(); }
    // The i-th loaded row. Its keys and bytes live until the next load, its shape as long as this object.
    segment_row operator[](size_t i) const;
    std::string_view partition_key(size_t i) const { return _runs.keys[_runs.find(_range.begin + i)]; }
    std::string_view row_key(size_t i) const { return _row_keys[i]; }
    // The first loaded row behind those of the same partition.
    size_t partition_end(size_t i) const;
    // The first loaded row whose key is not less; size() when there is none.
    size_t lower_bound(std::string_view partition_key, std::string_view row_key) const;

    // Gives back what only loading needs; the loaded rows stay, and nothing can be loaded any more.
    void keep_rows_only();
    size_t heap_bytes() const;

private:
    // One column of the loaded rows; by type one of the four has values.
    struct decoded_column {
        const block_view::column_chunk* chunk;
        std::vector<uint8_t> validity;
        std::vector<int64_t> ints;
        std::vector<double> reals;
        std::vector<uint8_t> booleans;
        codec::texts texts;
        size_t nulls_count = 0;

        bool has(size_t i) const { return (validity[i / 8] >> (i % 8) & 1) != 0; }
        value at(size_t i) const;
        // Of a type that is not in the heap and without nulls: each value `stride` bytes after the one before.
        void pack(size_t count, char* to, size_t stride) const;
    };
    // Which of the columns a row has, and the shape that makes.
    struct pattern {
        std::vector<uint32_t> columns; // into _columns
        tables::shape shape;
    };

    // How many bytes its values take in packed rows.
    base::expected<size_t> load_column(decoded_column&);
    // Nothing when a row would have one name twice.
    const pattern* pattern_of(size_t i);
    base::expected<void> pack_all();
    // All rows have all columns, and none has bytes in the heap: the points of series are such rows.
    bool are_uniform() const;
    base::expected<void> pack_uniform();

    const block_view* _block;
    const segment_schema* _schema;
    codec::zstd_decompressor* _zstd;
    bool _has_runs = false;
    partition_runs _runs;
    std::vector<decoded_column> _columns;                      // by name
    std::map<std::string, std::unique_ptr<pattern>> _patterns; // by a bit for each column
    std::string _bits;                                         // of the row looked at last
    const pattern* _last = nullptr;

    row_range _range;
    codec::texts _row_keys;
    std::vector<int64_t> _timestamps;
    std::vector<row_kind> _kinds;
    std::vector<const pattern*> _row_patterns;
    std::string _packed;
    std::vector<size_t> _packed_ends;
};

} // namespace tables
