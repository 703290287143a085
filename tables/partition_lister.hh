// Which partitions a table has on this shard, in key order, and between which times their rows lie. It comes from memtables and
// from the partition directories of segments: no block is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "base/ticks.hh"
#include "tables/core/memtable.hh"
#include "tables/read_view.hh"
#include "tables/segment.hh"

namespace tables {

struct partition_span {
    std::string key; // collated
    // No row with a time key lies outside. It may be wider than its rows: removed ones count, and keys without a time make it
    // all of time.
    base::tick newest;
    base::tick oldest;
};

class partition_lister {
public:
    // Borrows all. Begins at the first partition that is not before `from`. Pages that are damaged are passed over and told;
    // without a list they are an error.
    partition_lister(const read_view&, std::string_view from, damage_list* passed = nullptr);

    // At most `count_max` more; fewer only at the end. One call at a time; after an error there is nothing more.
    seastar::future<base::expected<std::vector<partition_span>>> next(size_t count_max);

private:
    struct segment_source {
        segment_ptr from;
        size_t page_number = 0; // at hand, or to be read
        page_ptr page;          // null: to be read
        size_t index = 0;

        bool is_end() const { return page_number >= from->view().pages_count(); }
        std::string_view key() const { return page->partitions()[index].partition_key; }
        void step();
    };

    seastar::future<base::expected<void>> load_pages();
    // To the next partition of this shard; stops where a page has to be read.
    static void settle(segment_source&);
    // The least key of all sources; nothing at the end. Needs: all pages are there.
    std::optional<std::string_view> least() const;
    partition_span take(std::string key);

    std::string _from;
    std::vector<memtable::partition_cursor> _memtables;
    std::vector<segment_source> _segments;
    damage_list* _passed;
};

} // namespace tables
