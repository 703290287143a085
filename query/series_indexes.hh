// The series indexes of one shard: one for each table that was asked about by tag, within a budget of memory. An index is brought
// up to date when it is asked for, by what came since the last time, which most often is nothing or a few partitions in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

#include <seastar/core/future.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/shared_ptr.hh>

#include "query/core/native/series_index.hh"
#include "tables/engine.hh"

namespace query {

class series_indexes {
public:
    // The group is that of making an index for a whole table.
    series_indexes(tables::engine&, size_t bytes_max, seastar::scheduling_group);

    using index_ptr = seastar::lw_shared_ptr<series_index>;
    // Knows every partition of this shard that there was when it was called. Null: the table is dropped, damaged, or has too many
    // partitions; the engine has to be asked for them.
    seastar::future<index_ptr> current(base::table_id, unsigned spread);
    // For other shards to look at. Null: there is no index now.
    std::shared_ptr<const series_digest> digest_of(base::table_id) const;

private:
    // One table's.
    struct entry {
        seastar::lw_shared_ptr<series_index> index;
        tables::partitions_mark known;
        uint64_t used_at = 0;           // the greatest was used last
        uint64_t given_up_at = 0;       // the memtable that took writes when it could not be made; 0: never
        bool is_too_large = false;      // for the budget, even alone
        seastar::semaphore updating{1}; // those who come meanwhile share what is read
    };
    using entry_ptr = seastar::lw_shared_ptr<entry>;

    seastar::future<> update(base::table_id, entry_ptr, unsigned spread);
    bool add(entry&, std::string_view partition_key);
    void give_up(entry&);
    void forget_dropped();
    // Those that were not used for the longest time go, until there is room. False: there is nothing left to give.
    bool make_room(const entry& for_whom);
    void register_metrics();

    tables::engine& _engine;
    const size_t _bytes_max;
    const seastar::scheduling_group _group;
    std::unordered_map<base::table_id, entry_ptr> _entries;
    size_t _bytes = 0; // of all indexes that are listed
    uint64_t _uses = 0;
    uint64_t _builds_total = 0;
    uint64_t _missing_total = 0;
    seastar::metrics::metric_groups _metrics;
};

} // namespace query
