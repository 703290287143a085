// Which shards have to be asked. A partition belongs to one shard, and each shard's series index has a digest that all may look
// at, so a question about few series goes to those who may have them; one about others, or that nobody knows enough for, to all.
//
// Nothing that was answered is missed: a shard that got a partition since its digest was brought up to date is asked, see
// tables::partitions_made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "query/core/native/plan.hh"
#include "query/core/native/series_digest.hh"
#include "query/series_indexes.hh"
#include "tables/engine.hh"

namespace query {

// Of a table on one shard.
struct shard_digest {
    std::shared_ptr<const series_digest> series; // null: it has none now
    tables::partitions_made made;

    // False: no series there can match, whatever was answered so far.
    bool may_have(const filter& where) const {
        return series == nullptr || !series->knows(made->load(std::memory_order_acquire)) || series->may_have(where);
    }
};
// Of some parts of a plan, one for each.
using shard_digests = std::vector<shard_digest>;

// What one shard knows of all of them.
class series_routes {
public:
    series_routes(tables::engine&, unsigned shards_count);

    // Of these parts of the plan; this shard comes last, so that the others are at work meanwhile.
    std::vector<unsigned> shards_for(const plan&, std::span<const uint32_t> parts) const;

    // Of these parts, those of which the digest of that shard is wanted.
    std::vector<uint32_t> unknown(const plan&, std::span<const uint32_t> parts, unsigned shard) const;
    // On a shard that was asked, when it has looked.
    static shard_digests digests_here(tables::engine&, const series_indexes&, const plan&, std::span<const uint32_t> parts);
    void learn(const plan&, std::span<const uint32_t> parts, unsigned shard, shard_digests);

private:
    void add_owners(const plan&, const table_part&, std::vector<bool>& asked) const;
    void add_candidates(const plan&, const table_part&, std::vector<bool>& asked) const;

    tables::engine& _engine;
    const unsigned _shards_count;
    std::unordered_map<base::table_id, std::vector<shard_digest>> _known; // by shard
};

} // namespace query
