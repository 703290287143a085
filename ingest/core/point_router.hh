// Points -> row batches, one for each table and shard that owns some of the rows. A point becomes a *merge*: fields of one series
// and time that come in several lines, or again, end up in one row. In steady state nothing is allocated for a point; a batch
// takes one buffer, which leaves with it.
//
// One for each shard, used by all streams in turn: whoever routes also drains, before anybody else has a turn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/placement.hh"
#include "ingest/core/family_index.hh"
#include "ingest/core/field_order.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/point.hh"
#include "ingest/core/series_cache.hh"
#include "tables/core/family/point_key.hh"
#include "tables/core/row_batch.hh"

namespace ingest {

struct routed_rows {
    unsigned owner = 0;
    std::string batch; // of tables/core/row_batch.hh
    uint32_t rows_count = 0;
    std::optional<table_need> missing; // its table has to be made; the batch is then for_table() of the id it gets
};

// The same rows for another table.
std::string for_table(base::table_id, const std::string& batch);

class point_router {
public:
    // `shards_count` and `placement` as the engine's. The index outlives this.
    point_router(family_index&, unsigned shards_count, base::placement);

    // Takes the point in, or says why not. `series` is the cache of its protocol. All points come from one point_builder.
    line_fault route(const point_view&, series_cache& series, int64_t now_ns);
    // All that was routed since, in order of each row's key; appends to `out`.
    void drain(std::vector<routed_rows>& out);

private:
    struct slot {
        base::table_id table;
        std::optional<tables::row_batch_builder> rows;
        std::optional<table_need> missing;
    };

    slot& slot_for(const period_table&, unsigned owner);
    void cut(uint32_t slot_index);
    line_fault check_size(std::string_view partition_key, std::span<const tables::property>) const;

    static constexpr size_t orders_count = 64;

    family_index& _index;
    const unsigned _shards_count;
    const base::placement _placement;
    std::array<field_order, orders_count> _orders; // by the index of the table
    std::vector<slot> _slots;                      // by the index of the table and the owner
    std::vector<uint32_t> _touched;                // slots with rows
    std::vector<routed_rows> _full;                // batches that were cut
    std::string _spread_key;
    int64_t _key_time = 0; // what _key is of
    tables::point_key_text _key;
};

} // namespace ingest
