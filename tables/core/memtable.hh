// The rows of one table on one shard that are not in segments yet: every version of every row, in key order.
//
// A write never changes what is there. The versions of a key are a chain, newest sequence first, and a reader with a snapshot
// sees of each key the newest version that is not after it. Writes may come in any order of sequence (replay reads several
// logs); among equal sequences the later insert is the newer.
//
// So that a row that is merged into over and over does not grow an endless chain, every merge_chain_max-th merge leaves a
// *fold* above itself: what the whole chain comes to, with the sequence and timestamp of that merge. A reader that meets a fold
// need not look further. A fold is only a short cut: when a write arrives late, with a sequence below some folds, those are
// taken out again, and the chain under them is what it always was. A late write has to walk past the newer versions of its row:
// fine for a few, so replay goes through each log in its order.
//
// All memory is an arena's; a partition is found by hash, its rows are in a tree of their own (ordered_index.hh).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tables/core/arena.hh"
#include "tables/core/hash_index.hh"
#include "tables/core/ordered_index.hh"
#include "tables/core/resolve.hh"
#include "tables/core/row_batch.hh"
#include "tables/core/row_version.hh"
#include "tables/core/shape_set.hh"

namespace tables {

// Raising it makes reads of often merged rows slower, lowering it makes folds take more memory: each is as large as the entity.
constexpr size_t merge_chain_max = 8;

struct memtable_facts {
    uint64_t partitions_count = 0;
    uint64_t rows_count = 0;     // keys, removed ones too
    uint64_t versions_count = 0; // writes; folds do not count
    uint64_t merges_count = 0;   // of the versions
    uint64_t folds_count = 0;
    uint64_t dropped_properties_count = 0; // by folds that met the limits of an entity
    base::sequence sequence_min;           // both 0 while there is nothing
    base::sequence sequence_max;
};

class memtable {
public:
    class cursor;
    class partition_cursor;
    class arrival_cursor;

    memtable() = default;
    memtable(const memtable&) = delete;
    memtable& operator=(const memtable&) = delete;

    // One row of write order; borrowed for the call only. Keys are collated, `packed` must be valid for the shape.
    struct write {
        std::string_view partition_key;
        std::string_view row_key;
        base::sequence sequence;
        row_kind kind;
        base::tick timestamp;
        std::optional<interned_shape> shape; // not of a remove
        std::string_view packed;
    };

    interned_shape intern(const shape& s) { return _shapes.intern(s, _memory); }
    // Needs a shape that this memtable interned.
    void insert(const write&);
    // All rows of a batch; the i-th has the sequence first + i.
    void insert(const row_batch_reader&, base::sequence first);

    // The versions of one row that a cursor would show, or none.
    void find(std::string_view partition_key, std::string_view row_key, base::sequence snapshot,
              std::vector<row_version>& versions) const;

    const memtable_facts& facts() const { return _facts; }
    bool empty() const { return _facts.versions_count == 0; }
    // Everything it has allocated.
    size_t bytes() const;

    // Gives memory back a bounded part at a time; true while there is more. After the first step only further steps and the
    // destructor may be called, and no cursor may be used.
    bool clear_step();

private:
    struct version;
    struct row;
    struct partition;

    partition* find_partition(std::string_view key) const;
    partition& partition_for(std::string_view key);
    bool is_expected(std::string_view key) const;
    void insert_into(partition&, const write&);
    void insert_scattered(std::span<const write>);
    row& make_row(std::string_view key, const write&);
    void add_version(const partition&, row&, const write&);
    void add_late_version(row&, version&);
    void fold(const partition&, row&);
    void count(const write&);
    static void fill(version&, const write&);
    static void collect(const row&, base::sequence snapshot, std::vector<row_version>& versions);

    arena _memory;
    shape_set _shapes;
    hash_index<partition> _partitions_by_hash;
    ordered_index<partition> _partitions;
    partition* _last = nullptr;        // of the last insert
    partition* _newest_made = nullptr; // the partition that came last
    row_resolver _resolver;
    std::vector<row_version> _chain;           // being folded
    std::vector<interned_shape> _batch_shapes; // of the batch that is being inserted
    std::vector<write> _group;                 // some rows of it
    memtable_facts _facts;
};

// Keys in ascending order, and of each the versions that matter to a snapshot. Borrows the memtable, and survives inserts into
// it between its steps: it goes on behind the key it stands on, and the rows it has shown stay where they are. Writes after the
// snapshot are never seen; late ones, below it, are seen where the cursor has not been yet.
class memtable::cursor {
public:
    // Stands nowhere until seek().
    cursor(const memtable& table, base::sequence snapshot) : _table(&table), _snapshot(snapshot) {}

    // To the first key that is not before this one; "", "" is before all.
    void seek(std::string_view partition_key, std::string_view row_key);
    void next();

    bool is_end() const { return _versions.empty(); }
    // Of these, needs !is_end(). The keys live as long as the memtable, the span until the next step.
    std::string_view partition_key() const;
    std::string_view row_key() const;
    // Newest first: a put, a remove, or merges and then, if it is in this memtable, what they were merged into. If the last one
    // is a merge, older versions elsewhere still count.
    std::span<const row_version> versions() const { return _versions; }

private:
    void settle();

    const memtable* _table;
    base::sequence _snapshot;
    ordered_index<partition>::position _partition;
    ordered_index<row>::position _row;
    std::vector<row_version> _versions;
};

// Partitions in ascending order, and between which times the time keys of their rows lie, whoever may see those. Borrows the
// memtable, and survives inserts like a cursor.
class memtable::partition_cursor {
public:
    // Stands on the first that is not before `key`.
    partition_cursor(const memtable& table, std::string_view key);
    void next();

    bool is_end() const { return _partition.node() == nullptr; }
    // Of these, needs !is_end(). The key lives as long as the memtable.
    std::string_view key() const;
    // Nothing when no row has a time key.
    std::optional<base::tick> newest() const;
    std::optional<base::tick> oldest() const;

private:
    const memtable* _table;
    ordered_index<partition>::position _partition;
};

// Partitions by when they came, the last one first. Borrows the memtable; what comes meanwhile is not seen.
class memtable::arrival_cursor {
public:
    // Leaves out the first `known` that came.
    arrival_cursor(const memtable& table, uint64_t known)
        : _partition(table._newest_made), _left(table._facts.partitions_count - known) {}
    void next();

    bool is_end() const { return _left == 0; }
    // Needs !is_end(). Lives as long as the memtable.
    std::string_view key() const;

private:
    const partition* _partition;
    uint64_t _left;
};

} // namespace tables
