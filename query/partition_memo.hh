// Which partitions a filter has let through before: a dashboard asks the same few series over and over, and finding them among
// all means taking every key apart. One on each shard.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "query/core/filter_ast.hh"
#include "tables/engine.hh"

namespace query {

class partition_memo {
public:
    using keys = std::vector<std::string>; // collated, in order

    // What keep() was told, if no partition has come since; null otherwise. Borrowed until the next call.
    const keys* find(base::table_id, const tables::partitions_version&, const filter& where);
    // Longer lists are not kept: using them costs about as much as finding them.
    void keep(base::table_id, const tables::partitions_version&, const filter& where, const keys&);

private:
    struct entry {
        base::table_id table;
        tables::partitions_version version;
        filter where;
        keys found;
    };
    std::deque<entry> _entries; // used last first
};

} // namespace query
