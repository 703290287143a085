// Several blobs of one source and period into one: the records of all, in their order. Blocks are asked for when their turn
// comes, so that of blobs that do not overlap only one block is open at a time.
//
//   blob_merge merge(inputs);
//   while (auto turn = merge.next()) {                             which block of which input has to be read
//       if (auto good = merge.bring(*turn, bytes); !good) ...      skip it, and keep that input
//       while (merge.step(builder)) { while (auto out = builder.step()) append(*out); yield if needed; }
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blobs/core/blob_builder.hh"
#include "blobs/core/blob_view.hh"

namespace blobs {

// Each open one needs a decoded block in memory.
constexpr size_t merge_inputs_max = 16;

class blob_merge {
public:
    struct turn {
        size_t input = 0;
        size_t block = 0;
        blob_extent extent;
    };

    // The views outlive the merge. Needs: 1..merge_inputs_max.
    explicit blob_merge(std::span<const blob_view* const> inputs);

    // The block that is needed before anything can go on; nothing when one is open that can, or all is done.
    std::optional<turn> next() const;
    bool is_done() const;
    // The bytes of next(). corrupt: they are not good; next() still wants them, unless they are skipped.
    base::expected<void> bring(const turn&, std::string bytes);
    void skip(const turn&);
    // Adds some records to the builder, which has nothing left to do. False when a block is needed or all is done. corrupt: the
    // rest of a block was not good, and was skipped.
    base::expected<bool> step(blob_builder&);

    static constexpr size_t step_records_max = 256;

private:
    struct input {
        const blob_view* blob = nullptr;
        size_t block = 0; // the next one, or the open one
        bool is_open = false;
        size_t record = 0; // the next one of the open block
        std::string bytes; // of the open block
        std::unique_ptr<block_reader> reader;

        bool is_done() const { return block == blob->blocks().size(); }
        int64_t time_ns() const { return is_open ? reader->time_ns(record) : blob->blocks()[block].facts.first_ns; }
        void close_block();
    };
    // The one whose next record is the first of all, or may be.
    size_t least() const;

    std::vector<input> _inputs;
    record_scratch _scratch;
};

} // namespace blobs
