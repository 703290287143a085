// The keys of a block's rows as columns. Partition keys are runs; a row key that begins with an inverted tick is that number and
// what follows it; any other row key is text.
//
//   keys      = partition runs, flags, times, suffixes, texts: five chunks, whose sizes are in the head of the block
//   runs      = runs count varint, ends size varint, int column of the runs' ends, front-coded partition keys
//   flags     = bitmap of the rows that have a time key
//   times     = int column of their 19 digits
//   suffixes  = text column of what follows those
//   texts     = front-coded row keys of the other rows
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ticks.hh"
#include "tables/core/codec/bitmap.hh"
#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/text_column.hh"
#include "tables/core/codec/text_front.hh"
#include "tables/core/segment/optional_tick.hh"

namespace tables {

constexpr size_t key_chunks_count = 5;
using key_chunks = std::array<std::string_view, key_chunks_count>;

class key_columns_builder {
public:
    // Needs: in order. What time the row key begins with, if it does, comes back.
    std::optional<base::tick> add(std::string_view partition_key, std::string_view row_key);

    size_t rows_count() const { return _flags.size(); }
    size_t time_keys_count() const { return _times.size(); }
    // The times of the time keys; nothing when there is none.
    std::optional<base::tick> newest() const;
    std::optional<base::tick> oldest() const;
    bool is_last_partition(std::string_view partition_key) const;

    // Appends one of the key_chunks_count chunks.
    void encode(size_t chunk, codec::zstd_compressor&, std::string& out) const;

private:
    codec::texts _partition_keys;
    std::vector<int64_t> _run_ends;
    codec::bitmap _flags;
    std::vector<int64_t> _times; // inverted
    codec::texts _suffixes;
    codec::texts _row_texts;
};

// The partition keys of a block, each with the rows it has.
struct partition_runs {
    codec::texts keys;
    std::vector<uint32_t> ends; // ends[i]: the first row that is not of keys[i]

    size_t size() const { return ends.size(); }
    uint32_t begin(size_t run) const { return run == 0 ? 0 : ends[run - 1]; }
    // The run of a row.
    size_t find(size_t row) const;
    // The run of a partition; nothing when it has no rows here.
    std::optional<size_t> run_of(std::string_view partition_key) const {
        const size_t at = keys.lower_bound(partition_key);
        return at < size() && keys[at] == partition_key ? std::optional(at) : std::nullopt;
    }
};

// Borrows the chunks.
class key_columns {
public:
    static std::optional<key_columns> open(const key_chunks&, size_t rows_count);

    size_t rows_count() const { return _flags.size(); }

    // False when the bytes are damaged; so with the others.
    [[nodiscard]] bool decode_runs(codec::zstd_decompressor&, partition_runs& out) const;
    // Appends the row keys of rows [begin, end).
    [[nodiscard]] bool decode_row_keys(size_t begin, size_t end, codec::zstd_decompressor&, codec::texts& out) const;
    // The ticks of rows [begin, begin + out.size()); no_tick where a row has a text key.
    [[nodiscard]] bool decode_ticks(size_t begin, std::span<int64_t> out) const;
    // What follows the ticks, of all rows; of a text key nothing does. One text alone when all are the same.
    [[nodiscard]] bool decode_suffixes(codec::zstd_decompressor&, codec::texts& out) const;
    // The first of rows [begin, end) whose row key is not less; end when there is none. Needs: all of one partition.
    [[nodiscard]] bool lower_bound(size_t begin, size_t end, std::string_view row_key, codec::zstd_decompressor&,
                                   size_t& out) const;

private:
    bool decode_inverted(size_t begin, size_t end, std::vector<int64_t>& out) const;

    size_t _runs_count = 0;
    codec::int_column _run_ends;
    codec::text_front _partition_keys;
    codec::bitmap _flags;
    codec::int_column _times;
    codec::text_column _suffixes;
    codec::text_front _row_texts;
};

} // namespace tables
