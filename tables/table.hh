// One table on one shard: its rows in memory. Everything here but free_in_steps() runs without suspending.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/shared_ptr.hh>

#include "base/ids.hh"
#include "tables/core/memtable.hh"
#include "tables/core/resolve.hh"
#include "tables/core/transaction.hh"

namespace tables {

class table {
public:
    explicit table(base::table_id id) : _id(id) {}

    base::table_id id() const { return _id; }
    const memtable& rows() const { return _rows; }
    memtable& rows() { return _rows; }

    // Whoever holds this table across a suspension asks afterwards.
    bool is_dropped() const { return _is_dropped; }
    void mark_dropped() { _is_dropped = true; }

private:
    base::table_id _id;
    memtable _rows;
    bool _is_dropped = false;
};

using table_ptr = seastar::lw_shared_ptr<table>;

// Takes a big table apart with yields in between. Needs the last pointer to it.
seastar::future<> free_in_steps(table_ptr);

// Looks entities up one by one, at one snapshot, and remembers the newest sequence that an answer rests on: also that an entity is
// gone may be news that no flush has covered yet.
class entity_finder {
public:
    // Borrows the table; not to be used across a suspension.
    entity_finder(const table& t, base::sequence snapshot) : _table(t), _snapshot(snapshot) {}

    // Borrowed until the next call.
    std::optional<current_entity> find(std::string_view partition_key, std::string_view row_key);
    base::sequence newest_seen() const { return _newest_seen; }

private:
    const table& _table;
    base::sequence _snapshot;
    base::sequence _newest_seen;
    std::vector<row_version> _versions;
    row_resolver _resolver;
};

} // namespace tables
