// Records of one source and period, in their order, into a blob. The caller owns the file and the time: it adds records, and
// after each takes steps until there is nothing to do, appending what they give.
//
//   blob_builder builder(identity, seed, block);
//   for (each record) {
//       builder.add(record);
//       while (auto bytes = builder.step()) { append(*bytes); yield if needed; }
//   }
//   builder.finish();
//   while (auto bytes = builder.step()) ...                         then the file is complete
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blobs/core/blob_footer.hh"

namespace blobs {

class blob_builder {
public:
    // The seed is of the checksums: another one for each file. Blocks are made in `block`, which is lent until the blob is done:
    // it keeps its memory, some times that of a block, so one for each shard and compression level is enough.
    blob_builder(blob_identity, uint64_t seed, block_builder& block);
    blob_builder(const blob_builder&) = delete;
    blob_builder& operator=(const blob_builder&) = delete;

    // So many raw bytes come in all, so that the tail gets its block (limits.hh). Before the first record, where it is known.
    void expect(uint64_t raw_bytes);
    // Needs: an order behind that of the record before; a record within its limits; not is_full(); nothing left to do from
    // before. True when there is something to do now.
    bool add(const record&);
    // A bounded piece of work. Nothing when there is none; else the bytes to append, empty while a block is not yet complete.
    std::optional<std::string> step();
    // No more records come. Needs: at least one came, nothing left to do.
    void finish();

    // The index is at its bound: finish this one and go on in the next.
    bool is_full() const { return _footer.blocks.size() + 1 >= blob_blocks_max; }
    // Raw bytes added so far, blocks still open included.
    uint64_t raw_bytes() const { return _footer.raw_bytes() + _block.facts().raw_bytes; }
    // What the steps have given so far.
    uint64_t bytes_written() const { return _offset; }
    uint64_t filter_bytes() const { return _filter_bytes; }
    // Complete once finish() was called and all steps are done.
    const blob_footer& footer() const { return _footer; }

private:
    enum class stage : uint8_t { records, slices, end, done };

    std::string take_block();
    std::string take_slice();
    std::string take_end();
    bool begins_tail();
    // Appends the checksum and counts the bytes in.
    blob_extent seal(std::string& bytes);

    uint64_t _seed;
    blob_footer _footer;
    block_builder& _block;
    uint64_t _tail_begin = UINT64_MAX; // the raw byte at which the tail may begin
    bool _is_closing = false;          // the block is being coded
    bool _is_last = false;
    std::vector<coded_filter> _filters; // of the blocks, in their order
    stage _stage = stage::records;
    uint64_t _offset = 0;
    uint64_t _filter_bytes = 0;
};

} // namespace blobs
