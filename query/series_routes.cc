#include "query/series_routes.hh"

#include <seastar/core/shard_id.hh>

#include "query/core/native/series_index.hh"
#include "query/partitions.hh"

namespace query {

// Tables whose digests are kept; with more they are learned anew.
static constexpr size_t routed_tables_max = 256;

static bool is_asked_by_tag(const plan& p, const table_part& part) {
    return !p.asked.partition && p.origin_of(part).kind == origin_kind::family && series_index::can_find(p.where.condition());
}

series_routes::series_routes(tables::engine& engine, unsigned shards_count) : _engine(engine), _shards_count(shards_count) {}

void series_routes::add_owners(const plan& p, const table_part& part, std::vector<bool>& asked) const {
    for (const auto& key : named_keys(part, *p.asked.partition)) {
        asked[_engine.owner_of(key)] = true;
    }
}

void series_routes::add_candidates(const plan& p, const table_part& part, std::vector<bool>& asked) const {
    const auto known = _known.find(part.id);
    for (unsigned shard = 0; shard < _shards_count; ++shard) {
        asked[shard] = asked[shard] || known == _known.end() || known->second[shard].may_have(p.where.condition());
    }
}

std::vector<unsigned> series_routes::shards_for(const plan& p, std::span<const uint32_t> parts) const {
    std::vector<bool> asked(_shards_count);
    for (const auto index : parts) {
        const auto& part = p.parts[index];
        if (p.asked.partition && p.origin_of(part).kind != origin_kind::source) {
            add_owners(p, part, asked);
        } else if (is_asked_by_tag(p, part)) {
            add_candidates(p, part, asked);
        } else {
            asked.assign(_shards_count, true);
        }
    }
    const auto here = seastar::this_shard_id();
    std::vector<unsigned> shards;
    for (unsigned i = 1; i <= _shards_count; ++i) {
        if (const auto shard = (here + i) % _shards_count; asked[shard]) {
            shards.push_back(shard);
        }
    }
    return shards;
}

std::vector<uint32_t> series_routes::unknown(const plan& p, std::span<const uint32_t> parts, unsigned shard) const {
    std::vector<uint32_t> found;
    for (const auto index : parts) {
        const auto known = _known.find(p.parts[index].id);
        const bool is_known =
            known != _known.end() && known->second[shard].series != nullptr && !known->second[shard].series->is_retired();
        if (!is_known && is_asked_by_tag(p, p.parts[index])) {
            found.push_back(index);
        }
    }
    return found;
}

shard_digests series_routes::digests_here(tables::engine& engine, const series_indexes& series, const plan& p,
                                          std::span<const uint32_t> parts) {
    shard_digests digests(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto& part = p.parts[parts[i]];
        if (auto made = engine.partitions_made_here(part.id)) {
            digests[i] = {series.digest_of(part.id), std::move(made)};
        }
    }
    return digests;
}

void series_routes::learn(const plan& p, std::span<const uint32_t> parts, unsigned shard, shard_digests digests) {
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto table = p.parts[parts[i]].id;
        if (digests[i].series == nullptr) {
            continue;
        }
        if (_known.size() >= routed_tables_max && !_known.contains(table)) {
            _known.clear();
        }
        auto& by_shard = _known[table];
        by_shard.resize(_shards_count);
        by_shard[shard] = std::move(digests[i]);
    }
}

} // namespace query
