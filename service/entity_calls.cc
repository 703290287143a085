// Get, insert, replace, merge and delete one entity.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "service/access.hh"
#include "service/core/entity_write.hh"
#include "service/core/request_options.hh"
#include "service/table_service.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

std::string etag_of(base::tick timestamp) {
    return text_of([timestamp](text_sink& out) { put_etag(out, timestamp); });
}

// A write of one entity, ready to be committed.
struct prepared_write {
    tables::transaction transaction;
    written_keys keys;
};

outcome<prepared_write> prepare(const table_call& call, base::table_id table, std::string_view body, entity_parser& parser) {
    auto condition = parse_precondition(call.op, call.header("if-match"), call.header("if-none-match"));
    if (!condition) {
        return std::unexpected(condition.error());
    }
    tables::row_batch_builder batch(table);
    prepared_write result;
    auto keys = add_write({call.op, call.what, *condition, body}, parser, batch, result.transaction.operations);
    if (!keys) {
        return std::unexpected(keys.error());
    }
    if (auto allowed = check_write(call, call.op, table_of(call.what), keys->partition_key, keys->row_key); !allowed) {
        return std::unexpected(allowed.error());
    }
    result.keys = std::move(*keys);
    result.transaction.rows = batch.take();
    return result;
}

std::string inserted_json(const table_call& call, const written_keys& keys, const std::string& rows, base::tick timestamp) {
    const auto batch = *tables::row_batch_reader::open(rows);
    std::string json;
    entity_printer(call.context(), table_of(call.what))
        .append_single(json, {keys.partition_key, keys.row_key, timestamp, batch.begin()->row});
    return json;
}

} // namespace

seastar::future<> table_service::get_entity(table_call& call) {
    const auto& key = std::get<entity_resource>(call.what);
    const auto table = find_table(call, key.table);
    const auto options = parse_query_options(call.query);
    if (!table || !options) {
        co_return co_await call.send_error(!table ? table.error() : options.error());
    }
    if (call.grant && !call.grant->covers(key.partition_key, key.row_key)) {
        co_return co_await call.send_error({service_code::resource_not_found});
    }
    co_await seastar::coroutine::switch_to(lane_for(*table, key.partition_key, 0));
    const auto found = co_await get(call, *table, key);
    if (!found) {
        co_return co_await call.send_error(to_service_error(found.error()));
    }
    const auto row = *found->rows().begin();
    std::string body;
    entity_printer(call.context(), key.table, options->select)
        .append_single(body, {key.partition_key, key.row_key, row.timestamp, row.row});
    const auto etag = etag_of(row.timestamp);
    co_await call.send_json(200, {{"ETag", etag}}, std::move(body));
}

seastar::future<> table_service::insert_entity(table_call& call) {
    if (auto good = check_content_type(call.header("content-type")); !good) {
        co_return co_await call.send_error(good.error());
    }
    const auto table = find_table(call, table_of(call.what));
    if (!table) {
        co_return co_await call.send_error(table.error());
    }
    auto body = co_await call.read_body();
    auto write = body ? prepare(call, *table, *body, _parser) : std::unexpected(body.error());
    if (!write) {
        co_return co_await call.send_error(write.error());
    }
    co_await seastar::coroutine::switch_to(lane_for(*table, write->keys.partition_key, body->size()));
    const auto preferred = parse_prefer(call.header("prefer"));
    const auto rows = preferred == preference::return_no_content ? std::string() : write->transaction.rows;
    const auto committed = co_await commit(call, std::move(write->transaction));
    if (!committed) {
        co_return co_await call.send_error(to_service_error(committed.error().error));
    }
    const auto etag = etag_of(*committed);
    const auto url = call.entity_url(table_of(call.what), write->keys.partition_key, write->keys.row_key);
    table_call::fields extra{{"ETag", etag}, {"Location", url}};
    if (preferred != preference::none) {
        extra.push_back({"Preference-Applied", name(preferred)});
    }
    if (preferred == preference::return_no_content) {
        extra.push_back({"DataServiceId", url});
        co_return co_await call.send(204, std::move(extra));
    }
    co_await call.send_json(201, std::move(extra), inserted_json(call, write->keys, rows, *committed));
}

seastar::future<> table_service::change_entity(table_call& call) {
    const bool is_delete = call.op == operation::delete_entity;
    if (auto good = check_content_type(call.header("content-type")); !good && !is_delete) {
        co_return co_await call.send_error(good.error());
    }
    const auto table = find_table(call, table_of(call.what));
    if (!table) {
        co_return co_await call.send_error(table.error());
    }
    auto body = co_await call.read_body();
    auto write = body ? prepare(call, *table, *body, _parser) : std::unexpected(body.error());
    if (!write) {
        co_return co_await call.send_error(write.error());
    }
    co_await seastar::coroutine::switch_to(lane_for(*table, write->keys.partition_key, body->size()));
    const auto committed = co_await commit(call, std::move(write->transaction));
    if (!committed) {
        co_return co_await call.send_error(to_service_error(committed.error().error));
    }
    const auto etag = etag_of(*committed);
    co_await call.send(204, is_delete ? table_call::fields{} : table_call::fields{{"ETag", etag}});
}

} // namespace service
