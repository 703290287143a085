#include "service/table_service.hh"

#include <seastar/core/coroutine.hh>

#include "service/access.hh"

namespace service {

table_service::table_service(table_service_config config, tables::engine& engine) : _config(std::move(config)), _engine(engine) {
    for (const auto& a : _config.accounts) {
        _account_names.push_back(a.name);
    }
}

http::handler table_service::handler() {
    return [this](http::request& request, http::reply_writer& reply) { return handle(request, reply); };
}

seastar::future<> table_service::handle(http::request& request, http::reply_writer& reply) {
    table_call call(request, reply, _config.now());
    if (auto understood = call.understand({_account_names, {}}); !understood) {
        co_return co_await call.send_error(understood.error());
    }
    if (auto admitted = admit(call, _config.accounts, {}); !admitted) {
        co_return co_await call.send_error(admitted.error());
    }
    const auto level = negotiate(call.header("accept"), call.query.get("$format"));
    if (!level) {
        co_return co_await call.send_error(level.error());
    }
    call.level = *level;
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
    case operation::get_properties:
    case operation::set_properties:
    case operation::get_stats:
    case operation::get_acl:
    case operation::set_acl: break;
    }
    return call.send_error({service_code::not_implemented});
}

outcome<base::table_id> table_service::find_table(const table_call& call, std::string_view name) const {
    const auto* info = _engine.catalog().find(call.account.account, name);
    if (info == nullptr) {
        return refuse(service_code::table_not_found);
    }
    return info->id;
}

} // namespace service
