// The first rows of an answer, out of any number of rows in any order: keeps a bounded number of them, and the bytes they need.
//
// When twice as many rows are there as can be kept, the worse half goes. The batches they came in go when their owner has packed
// the rest anew, piece by piece, which it should do whenever is_loose(): then memory is at most about twice what the kept rows
// need, and what is handed in is copied at most about twice.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/core/native/plan.hh"
#include "query/core/native/position.hh"
#include "tables/core/owned_rows.hh"

namespace query {

// Rows of one table, as they travel between shards.
struct part_batch {
    uint32_t part = 0; // index into plan::parts
    std::string bytes; // a row batch
};

// Borrows from the collector it came from.
struct found_row {
    int64_t time_ns = 0;
    uint32_t part = 0;
    uint32_t origin = 0;
    tables::batch_row row;
};

class row_collector {
public:
    // The plan must outlive it. Keeps `rows_max` rows, the first in the plan's order.
    row_collector(const plan&, size_t rows_max);

    // Rows of one part, which the batches hold; those without a time are left out.
    void add(uint32_t part, std::vector<tables::owned_rows> batches, const std::vector<tables::batch_row>& rows);
    base::expected<void> add(part_batch);

    // The time of the last row that is still among the first rows_max; nothing while there are fewer. Rows beyond it need not be
    // looked for.
    std::optional<int64_t> worst_time() const { return _worst; }
    size_t rows_count() const { return _kept.size(); }
    // What it holds on to.
    size_t bytes() const { return _bytes + _rows.size() * sizeof(found_row) + _kept.size() * sizeof(kept_row); }

    // For want of memory: only the first so many rows from now on. There may be others behind them that nobody has looked at.
    void shorten(size_t rows_max);
    // The same by half, or more gently where that helps. False when there is hardly anything left to give up.
    bool shrink();
    bool is_short() const { return _is_short; }
    size_t rows_max() const { return _rows_max; }

    // Much of what it holds on to is not wanted any more.
    bool is_loose() const { return _is_loose; }
    // A piece of the rows it keeps, in no order: for another shard, or for a collector like this one. Nothing: that was all, and
    // nothing can be added any more.
    std::optional<part_batch> pack_some();
    // One that is empty and goes on where this one is.
    row_collector successor() const;

    // A row with its time beside it: small things to put in order.
    struct kept_row {
        int64_t time_ns;
        const found_row* row;
        const found_row* operator->() const { return row; }
        const found_row& operator*() const { return *row; }
    };
    // The rows it keeps, in order. Nothing can be added after this. finish_some() does a part of the work, some hundred
    // microseconds; true while there is more of it to do before finish() is at hand.
    bool finish_some();
    const std::deque<kept_row>& finish();

    position_view position_of(const found_row&) const;

private:
    void drop_worse();
    bool is_better(const kept_row& a, const kept_row& b) const;
    void sort_run();
    void merge_runs();

    const plan* _plan;
    size_t _rows_max;
    std::vector<tables::owned_rows> _batches; // what _rows borrow from
    std::deque<found_row> _rows;              // in pieces: there may be many; some are no longer wanted
    std::deque<kept_row> _kept;               // those that are
    size_t _bytes = 0;                        // of the batches
    std::optional<int64_t> _worst;
    bool _is_short = false;
    bool _is_loose = false;
    // While they are put in order: runs of _kept that are in order, each as where it begins and ends, and what is merged of them.
    std::vector<std::pair<size_t, size_t>> _runs; // a heap: the one with the first row in front
    std::deque<kept_row> _merged;
    size_t _sorted = 0; // rows that are in runs
    bool _is_finishing = false;
    bool _is_sorted = false;
    size_t _packed = 0;                                     // of those kept
    std::map<uint32_t, tables::row_batch_builder> _packing; // by part
};

} // namespace query
