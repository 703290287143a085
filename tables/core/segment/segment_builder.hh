// Rows of one table, in key order, into a segment. The caller owns the file and the time: it adds rows, and after each takes
// steps until there is nothing to do, appending what they give.
//
//   segment_builder builder(options);
//   for (each row) {
//       builder.add(row);
//       while (auto bytes = builder.step()) { append(*bytes); yield if needed; }
//   }
//   builder.finish();
//   while (auto bytes = builder.step()) ...                         then the file is complete
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/placement.hh"
#include "tables/core/segment/block_builder.hh"
#include "tables/core/segment/partition_tracker.hh"
#include "tables/core/segment/segment_footer.hh"

namespace tables {

struct segment_options {
    base::table_id table;
    uint64_t seed = 0; // of the checksums: another one for each file
    base::sequence sequence_min;
    base::sequence sequence_max;
    base::placement placement; // of the store
    // A block ends where either would be exceeded. More makes scans faster and files a little smaller, less makes point gets
    // faster.
    size_t block_rows_max = 16'384;
    size_t block_raw_bytes_max = 1'024 * 1'024;
    size_t large_row_bytes = 512;              // rows are large when they have so many on average
    size_t large_row_block_bytes = 64 * 1'024; // and then a block has at most so many
};

class segment_builder {
public:
    // Needs: bounds of a block within those of segment_layout.hh.
    explicit segment_builder(const segment_options&);
    segment_builder(const segment_builder&) = delete;
    segment_builder& operator=(const segment_builder&) = delete;

    // Needs: a key behind that of the row before, within key_bytes_max; a row within row_raw_bytes_max; not is_full(); nothing
    // left to do from before.
    void add(const segment_row&);
    // A bounded piece of work, one column of a block at most. Nothing when there is none; else the bytes to append, empty while
    // a block is not yet complete.
    std::optional<std::string> step();
    // No more rows come. Needs: at least one came, nothing left to do.
    void finish();

    // An index of the file is near its bound: finish this one and go on in the next.
    bool is_full() const;
    // What the steps have given so far.
    uint64_t bytes_written() const { return _offset; }
    // Complete once finish() was called.
    const segment_facts& facts() const { return _footer.facts; }

private:
    enum class stage : uint8_t { rows, page, filters, footer, done };

    bool must_close(const segment_row&) const;
    size_t raw_bytes_max(size_t with_row) const;
    void close_block();
    std::optional<std::string> finish_step();
    std::string take_block();
    std::string take_page();
    std::string take_filters();
    std::string take_footer();
    // Appends the checksum and counts the bytes in.
    file_extent seal(std::string& bytes);

    segment_options _options;
    codec::zstd_compressor _zstd;
    segment_footer _footer;
    partition_tracker _partitions;
    block_builder _open;
    block_builder _closed; // being coded
    struct key_ends {
        std::string first_partition_key;
        std::string first_row_key;
        std::string last_partition_key;
        std::string last_row_key;
    };
    key_ends _open_ends;
    key_ends _closed_ends;
    std::vector<std::string> _filters; // of the blocks, in their order
    size_t _filters_taken = 0;
    stage _stage = stage::rows;
    uint64_t _offset = 0;
};

} // namespace tables
