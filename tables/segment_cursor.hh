// The rows of one segment in key order. Moving is plain code as long as the block at hand has rows; at its end the cursor is
// *hungry* and waits to be fed the next one.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "tables/block_skipper.hh"
#include "tables/core/key_range.hh"
#include "tables/segment.hh"

namespace tables {

// What a seek is followed by: most often many steps, or none.
enum class seek_for : uint8_t { all_rows, first_row };

class segment_cursor {
public:
    // Borrows the skipper; null: every block is read.
    explicit segment_cursor(segment_ptr, const block_skipper* = nullptr);

    // To the first row of the range; hungry afterwards when its block is not at hand. The blocks that the range does not touch
    // are never read. Who wants the first row only may get it from the partition directory, without its block.
    void seek(const key_range&, seek_for = seek_for::all_rows);
    bool is_hungry() const { return _is_hungry; }
    // Reads until it stands on a row or is at its end. After an error only seek() helps.
    seastar::future<base::expected<void>> feed();
    void next();

    // From now on feed() passes over blocks that are damaged.
    void pass_damage() { _passes_damage = true; }
    // Whether the segment may have that row in a block that was passed over.
    bool may_have_lost(std::string_view partition_key, std::string_view row_key) const;
    // What was passed over; empties it.
    damage_list take_damage() { return std::exchange(_damage, {}); }

    bool is_end() const { return !_is_hungry && !_block && !_page; }
    // Of these, needs: neither hungry nor at the end. They live until the next step.
    const segment_row& row() const { return _row; }
    const segment& source() const { return *_segment; }
    // How many blocks it has looked into.
    uint64_t blocks_read() const { return _blocks_read; }

private:
    // The page of the directory that can have the first row of the seek; nothing when a block has to be asked.
    std::optional<size_t> page_of_first_row() const;
    // Stands on the newest row of the partition, if the page has it and it is the first of the range.
    void try_page(page_ptr);
    // Passes over those that need not be read.
    seastar::future<> skip_blocks();
    void enter(block_ptr);
    bool is_lost(size_t block) const;
    void lose_block(size_t block, base::error);
    // To the next row of this shard at or behind `_index`, if this block has one.
    void settle();

    segment_ptr _segment;
    const block_skipper* _skipper;
    uint64_t _blocks_read = 0;
    entity_key _from;    // of the seek; looked at in the first block only
    index_range _blocks; // still to be read; the one at hand is not in it
    bool _is_first = false;
    bool _is_hungry = false;
    std::optional<size_t> _first_page; // to be asked before any block
    page_ptr _page;                    // that `_row` is of
    block_ptr _block;
    size_t _index = 0;
    size_t _owned_end = 0; // rows before it are known to be this shard's
    segment_row _row;
    bool _passes_damage = false;
    struct lost_block {
        size_t number;
        damaged_keys what;
    };
    std::vector<lost_block> _lost; // passed over
    damage_list _damage;
};

} // namespace tables
