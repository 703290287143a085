// Which files to merge next: a function of facts about the files of one table on one shard, and of nothing else.
//
// Files stand in the order of age and only neighbours are merged, so that newer stays newer. Young files of like size wait until
// a handful of them have come; then they become one. So a row is rewritten about as often as there are powers of the handful
// between a flush and the table: (flushed + merged) / flushed stays below 3, with the one merge of everything when the table's
// period closes.
//
// What is written to a table after that lies over it as *overlays*: the large file is not written again for a few late rows, but
// once they make up a part of it that is worth it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace compaction {

struct file_fact {
    uint64_t bytes = 0;
    bool can_begin = true; // a merge may have it as its newest: it does not share its place in the order with the one before it
    bool is_late = false;  // all of it was written after the table was closed
};

struct policy {
    size_t handful = 16;    // so many of like size become one
    uint64_t like_size = 2; // a file joins those before it when it is at most so many times their average
    size_t files_max = 40;  // above it neighbours are merged whatever their sizes
    // At a time, two at least. A block of each is in memory, so this is a bound of memory too.
    size_t inputs_max = 64;
    unsigned overlay_percent = 5; // of what they lie over: so much stays apart
};

struct merge_choice {
    size_t first = 0; // newest
    size_t count = 0; // two at least

    bool operator==(const merge_choice&) const = default;
};

// `is_closed`: little more is expected, so one file is best, and overlays. Nothing when all is as it should be.
std::optional<merge_choice> choose(std::span<const file_fact> newest_first, const policy&, bool is_closed);

} // namespace compaction
