#include "service/table_service.hh"

#include <algorithm>

#include <array>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/with_timeout.hh>

#include "base/placement.hh"
#include "service/access.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

// Of what the connection refuses by itself; the status stays what it is.
service_code code_of(unsigned status) {
    switch (status) {
    case 408: return service_code::operation_timed_out;
    case 411: return service_code::missing_content_length_header;
    case 413: return service_code::request_body_too_large;
    case 414: return service_code::request_url_failed_to_parse;
    case 431: return service_code::invalid_header_value;
    case 500: return service_code::internal_error;
    case 501:
    case 505: return service_code::not_implemented;
    case 503: return service_code::server_busy;
    default: return service_code::invalid_input;
    }
}

} // namespace

table_service::table_service(table_service_config config, tables::engine& engine) : _config(std::move(config)), _engine(engine) {
    for (const auto& a : _config.accounts) {
        _account_names.push_back(a.name);
    }
}

// In place: requests under way may look at the accounts.
void table_service::set_keys(const std::vector<account>& now) {
    for (auto& a : _config.accounts) {
        const auto found = std::ranges::find(now, a.name, &account::name);
        a.keys = found == now.end() ? std::vector<std::string>() : found->keys;
    }
}

http::handler table_service::handler() {
    return [this](http::request& request, http::reply_writer& reply) { return handle(request, reply); };
}

http::error_handler table_service::error_handler() {
    return [this](http::protocol_error e, http::reply_writer& reply) { return refuse_unread(e, reply); };
}

seastar::future<> table_service::refuse_unread(http::protocol_error e, http::reply_writer& reply) const {
    const auto request_id = make_guid();
    const service_error error{code_of(e.status), std::string(e.reason)};
    std::string body;
    append_json_error(body, error, {request_id, _config.now()});
    const std::array<http::reply_field, 4> fields{{{"Content-Type", content_type_of(metadata_level::minimal)},
                                                   {"X-Content-Type-Options", "nosniff"},
                                                   {"x-ms-error-code", name(error.code)},
                                                   {"x-ms-request-id", request_id}}};
    return reply.send(e.status, fields, std::move(body));
}

seastar::future<tables::commit_outcome> table_service::commit(const table_call& call, tables::transaction transaction) {
    try {
        co_return co_await seastar::with_timeout(call.deadline, _engine.commit(std::move(transaction)));
    } catch (const seastar::timed_out_error&) {
        co_return std::unexpected(tables::transaction_failure{{base::errc::timed_out, {}}});
    }
}

seastar::future<base::expected<tables::owned_rows>> table_service::get(const table_call& call, base::table_id table,
                                                                       const entity_resource& key) {
    try {
        co_return co_await seastar::with_timeout(
            call.deadline, _engine.get(table, tables::collate(key.partition_key), tables::collate(key.row_key)));
    } catch (const seastar::timed_out_error&) {
        co_return base::fail(base::errc::timed_out);
    }
}

seastar::future<> table_service::handle(http::request& request, http::reply_writer& reply) {
    table_call call(request, reply, _config.now());
    if (auto found = call.find_account({_account_names, {}}); !found) {
        co_return co_await call.send_error(found.error());
    }
    if (request.head.method == "OPTIONS") {
        co_return co_await preflight(call);
    }
    add_cors_fields(call);
    if (auto understood = call.understand(); !understood) {
        co_return co_await call.send_error(understood.error());
    }
    if (auto admitted = admit(call, _config.accounts, policies_of(call)); !admitted) {
        co_return co_await call.send_error(admitted.error());
    }
    if (call.face() == call_face::odata) {
        const auto level = negotiate(call.header("accept"), call.query.get("$format"));
        if (!level) {
            co_return co_await call.send_error(level.error());
        }
        call.level = *level;
    }
    co_await dispatch(call);
}

seastar::future<> table_service::dispatch(table_call& call) {
    switch (call.op) {
    case operation::query_tables: return query_tables(call);
    case operation::get_table: return get_table(call);
    case operation::create_table: return create_table(call);
    case operation::delete_table: return delete_table(call);
    case operation::query_entities: return query_entities(call);
    case operation::get_entity: return get_entity(call);
    case operation::insert_entity: return insert_entity(call);
    case operation::replace_entity:
    case operation::merge_entity:
    case operation::insert_or_replace_entity:
    case operation::insert_or_merge_entity:
    case operation::delete_entity: return change_entity(call);
    case operation::batch: return batch(call);
    case operation::get_properties: return get_properties(call);
    case operation::set_properties: return set_properties(call);
    case operation::get_stats: return get_stats(call);
    case operation::get_acl: return get_acl(call);
    case operation::set_acl: return set_acl(call);
    }
    std::unreachable();
}

seastar::scheduling_group table_service::lane_for(base::table_id table, std::string_view partition_key, size_t body_bytes) {
    const auto partition = base::stable_hash(partition_key) ^ table.value;
    const bool is_hot = _heat.note(partition, body_bytes, std::chrono::steady_clock::now());
    return is_hot ? _config.crowd : seastar::current_scheduling_group();
}

outcome<base::table_id> table_service::find_table(const table_call& call, std::string_view name) const {
    const auto* info = _engine.catalog().find(call.account.account, name);
    if (info == nullptr) {
        return refuse(service_code::table_not_found);
    }
    return info->id;
}

} // namespace service
