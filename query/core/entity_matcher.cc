#include "query/core/entity_matcher.hh"

#include "query/core/block_stats.hh"

namespace query {
namespace {

std::optional<tables::value> property_of(const tables::row_view& row, std::string_view name, size_t& column) {
    if (row.size() == 0) {
        return std::nullopt;
    }
    const auto& shape = row.of_shape();
    if (column >= shape.size() || shape[column].name != name) {
        const auto found = shape.find(name);
        if (!found) {
            return std::nullopt;
        }
        column = *found;
    }
    return row[column].value;
}

} // namespace

entity_matcher::entity_matcher(const program& p) : _program(p) {
    _bindings.reserve(p.slots().size());
    for (const auto& s : p.slots()) {
        _bindings.push_back({source_of(s), s.name});
    }
}

entity_matcher::source entity_matcher::source_of(const subject& s) {
    if (s.scope != name_scope::any) {
        return s.scope == name_scope::field ? source::property : source::nothing;
    }
    if (s.name == "PartitionKey") {
        return source::partition_key;
    }
    if (s.name == "RowKey") {
        return source::row_key;
    }
    return s.name == "Timestamp" ? source::timestamp : source::property;
}

std::optional<tables::value> entity_matcher::row::value_of(size_t slot) {
    auto& b = bindings[slot];
    switch (b.from) {
    case source::property: return property_of(entity.properties, b.name, b.column);
    case source::partition_key: return tables::value::of_string(entity.partition_key);
    case source::row_key: return tables::value::of_string(entity.row_key);
    case source::timestamp: return tables::value::of_datetime(entity.timestamp);
    case source::nothing: break;
    }
    return std::nullopt;
}

struct entity_matcher::block final : stats_source {
    explicit block(block_stats& s) : stats(s) {}

    std::optional<property_stats> find(const subject& s) const override {
        switch (source_of(s)) {
        case source::property: return stats.property(s.name);
        case source::nothing: return property_stats{};
        default: return std::nullopt;
        }
    }

    block_stats& stats;
};

bool entity_matcher::can_match(const tables::segment_view& segment, size_t number) const {
    block_stats stats(segment, number);
    return query::can_match(_program.condition(), block(stats));
}

bool entity_matcher::matches(const tables::entity_view& entity) {
    row r{_bindings, entity};
    return _program.matches(r);
}

} // namespace query
