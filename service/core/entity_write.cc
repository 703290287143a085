#include "service/core/entity_write.hh"

#include "tables/core/key.hh"
#include "tables/core/limits.hh"

namespace service {
namespace {

tables::operation_kind kind_of(operation op) {
    switch (op) {
    case operation::replace_entity: return tables::operation_kind::replace;
    case operation::merge_entity: return tables::operation_kind::merge;
    case operation::insert_or_replace_entity: return tables::operation_kind::insert_or_replace;
    case operation::insert_or_merge_entity: return tables::operation_kind::insert_or_merge;
    case operation::delete_entity: return tables::operation_kind::remove;
    default: return tables::operation_kind::insert;
    }
}

entity_body body_of(operation op) {
    switch (op) {
    case operation::insert_entity: return entity_body::insert;
    case operation::merge_entity:
    case operation::insert_or_merge_entity: return entity_body::merge;
    default: return entity_body::replace;
    }
}

tables::operation operation_of(const entity_write& write) {
    tables::operation result{kind_of(write.op), std::nullopt};
    if (write.condition.what == precondition::kind::exact) {
        result.if_match = write.condition.timestamp;
    }
    return result;
}

written_keys keys_of(const entity_write& write, const parsed_entity& entity) {
    if (const auto* named = std::get_if<entity_resource>(&write.what)) {
        return {named->partition_key, named->row_key};
    }
    return {std::string(entity.partition_key), std::string(entity.row_key)};
}

} // namespace

std::string_view table_of(const resource& what) {
    if (const auto* set = std::get_if<entity_set_resource>(&what)) {
        return set->table;
    }
    if (const auto* one = std::get_if<entity_resource>(&what)) {
        return one->table;
    }
    if (const auto* acl = std::get_if<acl_resource>(&what)) {
        return acl->table;
    }
    return {};
}

outcome<written_keys> add_write(const entity_write& write, entity_parser& parser, tables::row_batch_builder& batch,
                                std::vector<tables::operation>& operations) {
    parsed_entity entity;
    if (write.op != operation::delete_entity) {
        auto parsed = parser.parse(write.body, body_of(write.op));
        if (!parsed) {
            return std::unexpected(parsed.error());
        }
        entity = std::move(*parsed);
    }
    auto keys = keys_of(write, entity);
    if (auto good = tables::check_entity(keys.partition_key, keys.row_key, entity.properties); !good) {
        return std::unexpected(to_service_error(good.error()));
    }
    const auto pk = tables::collate(keys.partition_key);
    const auto rk = tables::collate(keys.row_key);
    if (write.op == operation::delete_entity) {
        batch.add_remove(pk, rk);
    } else {
        batch.add_put(pk, rk, entity.properties);
    }
    operations.push_back(operation_of(write));
    return keys;
}

} // namespace service
