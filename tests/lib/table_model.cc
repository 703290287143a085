#include "tests/lib/table_model.hh"

namespace testing_lib {

using base::errc;
using tables::operation_kind;

std::optional<std::pair<uint32_t, errc>> table_model::check(const std::string& partition_key,
                                                            const std::vector<model_operation>& operations) const {
    for (uint32_t i = 0; i < operations.size(); ++i) {
        const auto& op = operations[i];
        const auto found = _entities.find({partition_key, op.row_key});
        const bool exists = found != _entities.end();
        if (op.kind == operation_kind::insert) {
            if (exists) {
                return std::pair(i, errc::entity_exists);
            }
            continue;
        }
        const bool is_upsert = op.kind == operation_kind::insert_or_merge || op.kind == operation_kind::insert_or_replace;
        if (!is_upsert && !exists) {
            return std::pair(i, errc::entity_not_found);
        }
        if (op.if_match && exists && found->second.timestamp != *op.if_match) {
            return std::pair(i, errc::condition_not_met);
        }
    }
    return std::nullopt;
}

void table_model::apply(const std::string& partition_key, const std::vector<model_operation>& operations, base::tick timestamp) {
    for (const auto& op : operations) {
        if (op.kind == operation_kind::remove) {
            _entities.erase({partition_key, op.row_key});
            continue;
        }
        const bool is_merge = op.kind == operation_kind::merge || op.kind == operation_kind::insert_or_merge;
        upsert(partition_key, op.row_key, op.properties, !is_merge, timestamp);
    }
}

void table_model::upsert(const std::string& partition_key, const std::string& row_key, const model_row& properties, bool is_put,
                         base::tick timestamp) {
    auto& entity = _entities[{partition_key, row_key}];
    entity.timestamp = timestamp;
    if (is_put) {
        entity.properties.clear();
    }
    for (const auto& [name, number] : properties) {
        entity.properties[name] = number;
    }
}

} // namespace testing_lib
