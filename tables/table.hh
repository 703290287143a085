// One table on one shard: its rows in memory and its segments. Everything here but free_in_steps() runs without suspending.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/shared_ptr.hh>

#include "base/error.hh"
#include "base/ids.hh"
#include "tables/core/memtable.hh"
#include "tables/partitions_mark.hh"
#include "tables/read_view.hh"

namespace tables {

class table {
public:
    explicit table(base::table_id id) : _id(id), _rows(seastar::make_lw_shared<memtable>()) {}

    base::table_id id() const { return _id; }
    // The memtable that takes writes.
    memtable& rows() { return *_rows; }
    // Of those who write. Recovery inserts before anybody can have looked.
    void insert(const row_batch_reader&, base::sequence first);
    bool has_rows_in_memory() const { return !_rows->empty() || _frozen; }
    // Of all its memtables.
    size_t memory_bytes() const { return _rows->bytes() + (_frozen ? _frozen->bytes() : 0); }

    // What there is now; to be read at this snapshot.
    read_view view(base::sequence snapshot) const;
    // Changes with the set of segments: whoever read from them and then suspended asks again.
    uint64_t generation() const { return _generation; }

    // Of who knows all there are now.
    partitions_mark partitions() const { return {_rows_number, _rows->facts().partitions_count}; }
    const std::shared_ptr<std::atomic<uint64_t>>& made() const { return _made; }
    // How many partitions of one of its memtables such a one knows, who has this mark.
    uint64_t known_count(const partitions_mark&, const memtable_ptr&) const;

    // Flush: the rows so far take no more writes. Needs: none frozen.
    void freeze();
    const memtable_ptr& frozen() const { return _frozen; }
    // These segments hold what was frozen; that memtable comes back, to be freed.
    memtable_ptr replace_frozen(const std::vector<segment_ptr>&);
    // For a drop: nobody reads or writes it any more, but those who hold a view.
    std::vector<memtable_ptr> take_memory();
    // At opening, in any order.
    void add_segment(segment_ptr);
    const std::vector<segment_ptr>& segments() const { return _segments; }
    // Merge: segments with the same sequence have no row in common, so their order does not matter, unless one of them is merged
    // with older ones and the other is not.
    bool can_merge_from(size_t first) const {
        return first == 0 || _segments[first - 1]->facts().sequence_max != _segments[first]->facts().sequence_max;
    }
    // These neighbours have become those.
    void replace_segments(const std::vector<segment_ptr>& old, const std::vector<segment_ptr>& merged);
    // One merge at a time: its neighbours must stay neighbours.
    bool is_merging() const { return _is_merging; }
    void set_merging(bool is) { _is_merging = is; }
    // Some segment cannot be opened; what is in memory can still be read.
    void set_damage(base::error e) { _damage = std::move(e); }
    const std::optional<base::error>& damage() const { return _damage; }

    // Whoever holds this table across a suspension asks afterwards.
    bool is_dropped() const { return _is_dropped; }
    void mark_dropped() { _is_dropped = true; }

private:
    base::table_id _id;
    memtable_ptr _rows;
    memtable_ptr _frozen;               // on its way into segments
    std::vector<segment_ptr> _segments; // newest first
    std::optional<base::error> _damage;
    uint64_t _generation = 0;
    std::shared_ptr<std::atomic<uint64_t>> _made = std::make_shared<std::atomic<uint64_t>>(0);
    uint64_t _rows_number = 1; // of the memtable that takes writes; a frozen one has the number before it
    bool _is_merging = false;
    bool _is_dropped = false;
};

using table_ptr = seastar::lw_shared_ptr<table>;

// Takes a big memtable apart with yields in between. Needs the last pointer to it.
seastar::future<> free_in_steps(memtable_ptr);

} // namespace tables
