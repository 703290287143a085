// POST /$batch: a changeset becomes one transaction of the engine; or one query.

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "service/access.hh"
#include "service/core/batch_reply.hh"
#include "service/core/entity_write.hh"
#include "service/core/limits.hh"
#include "service/table_service.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

// One operation of a changeset, understood.
struct batch_operation {
    const sub_request* sub = nullptr;
    operation op{};
    resource what;
    preference preferred = preference::none;
    metadata_level level = metadata_level::minimal;
    written_keys keys;
};

struct failed_operation {
    service_error error;
    size_t index = 0;
};

// A sub-request's URL must lead to the account of the batch; its host and most of its query say nothing.
outcome<resource> resource_of(const table_call& call, const account_names& names, std::string_view target) {
    const auto parts = split_target(target);
    if (!parts) {
        return std::unexpected(parts.error());
    }
    const auto host = parts->host.empty() ? call.header("host").value_or("") : parts->host;
    const auto account = split_account(host, parts->path, names);
    if (!account || account->account != call.account.account) {
        return refuse(service_code::invalid_input);
    }
    return parse_resource(account->resource_path, std::nullopt, std::nullopt);
}

outcome<batch_operation> understand(const table_call& call, const account_names& names, const sub_request& sub) {
    auto what = resource_of(call, names, sub.target);
    if (!what) {
        return std::unexpected(what.error());
    }
    const auto wanted = effective_verb(sub.method, sub.x_http_method);
    if (!wanted) {
        return std::unexpected(wanted.error());
    }
    const auto op = find_operation(*what, *wanted, sub.if_match ? if_match_header::present : if_match_header::absent);
    if (!op) {
        return std::unexpected(op.error());
    }
    const bool is_of_entity =
        std::holds_alternative<entity_resource>(*what) || std::holds_alternative<entity_set_resource>(*what);
    if (!is_of_entity) {
        return refuse(service_code::invalid_input);
    }
    const auto level = negotiate(sub.accept, std::nullopt);
    return batch_operation{&sub, *op, std::move(*what), parse_prefer(sub.prefer), level.value_or(metadata_level::minimal), {}};
}

} // namespace

// A changeset on its way to a transaction and its reply.
class changeset {
public:
    changeset(table_call& call, const account_names& names, const batch_request& request)
        : _call(call), _names(names), _request(request) {}

    // The table all operations are for, once understand_all() has succeeded.
    std::string_view table() const { return table_of(_operations.front().what); }
    // Of the first operation, once transaction() has succeeded; another one in the set is the engine's to refuse.
    std::string_view partition_key() const { return _operations.front().keys.partition_key; }

    std::expected<void, failed_operation> understand_all() {
        if (_request.operations.size() > batch_operations_max) {
            return fail(
                batch_operations_max - 1,
                {service_code::invalid_input, "The batch request operation exceeds the maximum 100 changes per change set."});
        }
        for (const auto& sub : _request.operations) {
            const auto index = _operations.size();
            auto op = understand(_call, _names, sub);
            if (!op) {
                return fail(index, op.error());
            }
            _operations.push_back(std::move(*op));
            if (tables::folded(table_of(_operations.back().what)) != tables::folded(table())) {
                return fail(index, {service_code::invalid_input});
            }
        }
        return {};
    }

    std::expected<tables::transaction, failed_operation> transaction(base::table_id id, entity_parser& parser) {
        tables::row_batch_builder batch(id);
        tables::transaction result;
        for (auto& op : _operations) {
            const auto index = static_cast<size_t>(&op - _operations.data());
            const auto condition = parse_precondition(op.op, op.sub->if_match, op.sub->if_none_match);
            if (!condition) {
                return fail(index, condition.error());
            }
            auto keys = add_write({op.op, op.what, *condition, op.sub->body}, parser, batch, result.operations);
            if (!keys) {
                return fail(index, keys.error());
            }
            op.keys = std::move(*keys);
        }
        result.rows = batch.take();
        return result;
    }

    // For a shared access signature: each operation must be one that it grants. Asked before anything is looked up, or a
    // signature for one table would tell which others there are.
    outcome<void> check_operations() const {
        for (const auto& op : _operations) {
            const auto allowed = _call.grant ? check_operation(*_call.grant, op.op, table_of(op.what)) : outcome<void>();
            if (!allowed) {
                return allowed;
            }
        }
        return {};
    }

    // And, once transaction() has succeeded, each of its keys.
    outcome<void> check_grants() const {
        for (const auto& op : _operations) {
            if (auto allowed = check_write(_call, op.op, table_of(op.what), op.keys.partition_key, op.keys.row_key); !allowed) {
                return allowed;
            }
        }
        return {};
    }

    seastar::future<> send_failure(const failed_operation& failed) {
        const auto batch_id = make_guid();
        std::string body;
        changeset_reply reply(body, batch_id, make_guid());
        const auto& sub = _request.operations[std::min(failed.index, _request.operations.size() - 1)];
        reply.add_failure({.error = failed.error,
                           .index = failed.index,
                           .operations_count = _request.operations.size(),
                           .preferred = parse_prefer(sub.prefer),
                           .level = negotiate(sub.accept, std::nullopt).value_or(metadata_level::minimal),
                           .stamp = _call.stamp()},
                          sub.content_id);
        reply.finish();
        return send(batch_id, std::move(body));
    }

    // `rows` is the batch as it was sent: what inserts with content print.
    seastar::future<> send_success(const std::string& rows, base::tick timestamp) {
        const auto batch_id = make_guid();
        std::string body;
        changeset_reply reply(body, batch_id, make_guid());
        const auto batch = *tables::row_batch_reader::open(rows);
        auto row = batch.begin();
        for (const auto& op : _operations) {
            add(reply, op, row->row, timestamp);
            ++row;
        }
        reply.finish();
        return send(batch_id, std::move(body));
    }

private:
    static std::unexpected<failed_operation> fail(size_t index, service_error e) {
        return std::unexpected(failed_operation{std::move(e), index});
    }

    void add(changeset_reply& reply, const batch_operation& op, const tables::row_view& row, base::tick timestamp) const {
        const auto& id = op.sub->content_id;
        if (op.op == operation::delete_entity) {
            return reply.add_delete(id);
        }
        if (op.op != operation::insert_entity) {
            return reply.add_update(timestamp, id);
        }
        std::string json;
        if (op.preferred != preference::return_no_content) {
            entity_printer(reply_context{op.level, _call.base_url, _call.account.account}, table_of(op.what))
                .append_single(json, {op.keys.partition_key, op.keys.row_key, timestamp, row});
        }
        const auto url = _call.entity_url(table_of(op.what), op.keys.partition_key, op.keys.row_key);
        reply.add_insert({url, timestamp, op.preferred, op.level, json}, id);
    }

    seastar::future<> send(const std::string& batch_id, std::string body) {
        const auto type = batch_content_type(batch_id);
        return _call.send(202, {{"Content-Type", type}}, std::move(body));
    }

    table_call& _call;
    const account_names _names;
    const batch_request& _request;
    std::vector<batch_operation> _operations;
};

seastar::future<> table_service::batch(table_call& call) {
    const auto body = co_await call.read_body();
    if (!body) {
        co_return co_await call.send_error(body.error());
    }
    const auto request = parse_batch(call.header("content-type").value_or(""), *body);
    if (!request) {
        co_return co_await call.send_error(request.error());
    }
    if (request->kind == batch_kind::query) {
        co_return co_await batch_query(call, request->operations.front());
    }
    if (call.account.which == replica::secondary) {
        co_return co_await call.send_error({service_code::insufficient_account_permissions});
    }
    changeset set(call, {_account_names, {}}, *request);
    if (auto understood = set.understand_all(); !understood) {
        co_return co_await set.send_failure(understood.error());
    }
    if (auto allowed = set.check_operations(); !allowed) {
        co_return co_await call.send_error(allowed.error());
    }
    const auto table = find_table(call, set.table());
    if (!table) {
        co_return co_await set.send_failure({table.error(), 0});
    }
    auto transaction = set.transaction(*table, _parser);
    if (!transaction) {
        co_return co_await set.send_failure(transaction.error());
    }
    if (auto allowed = set.check_grants(); !allowed) {
        co_return co_await call.send_error(allowed.error());
    }
    co_await seastar::coroutine::switch_to(lane_for(*table, set.partition_key(), body->size()));
    const auto rows = transaction->rows;
    const auto committed = co_await commit(call, std::move(*transaction));
    if (!committed) {
        co_return co_await set.send_failure({to_service_error(committed.error().error), committed.error().index});
    }
    co_await set.send_success(rows, *committed);
}

// A batch of one GET: an entity or a set.
seastar::future<> table_service::batch_query(table_call& call, const sub_request& sub) {
    const auto batch_id = make_guid();
    std::string body;
    auto answer = co_await batch_query_json(call, sub);
    const auto level = negotiate(sub.accept, std::nullopt).value_or(metadata_level::minimal);
    if (answer) {
        append_query_reply(
            body, batch_id,
            {level, answer->timestamp, answer->set.next_partition_key, answer->set.next_row_key, answer->set.json});
    } else {
        append_query_failure(body, batch_id, answer.error(), level, call.stamp());
    }
    const auto type = batch_content_type(batch_id);
    co_await call.send(202, {{"Content-Type", type}}, std::move(body));
}

seastar::future<outcome<table_service::batch_answer>> table_service::batch_query_json(table_call& call, const sub_request& sub) {
    auto op = understand(call, {_account_names, {}}, sub);
    if (!op) {
        co_return std::unexpected(op.error());
    }
    if (op->op != operation::get_entity && op->op != operation::query_entities) {
        co_return refuse(service_code::invalid_input);
    }
    const auto name = table_of(op->what);
    if (call.grant) {
        if (auto allowed = check_operation(*call.grant, op->op, name); !allowed) {
            co_return std::unexpected(allowed.error());
        }
    }
    const auto table = find_table(call, name);
    const auto target = split_target(sub.target);
    const auto query = http::query_string::parse(target->query);
    auto options = query ? parse_query_options(*query) : refuse(service_code::invalid_uri);
    if (!table || !options) {
        co_return std::unexpected(!table ? table.error() : options.error());
    }
    if (op->op == operation::query_entities) {
        auto set = co_await query_set(call, op->level, *table, name, std::move(*options));
        if (!set) {
            co_return std::unexpected(set.error());
        }
        co_return batch_answer{std::move(*set), std::nullopt};
    }
    const auto& key = std::get<entity_resource>(op->what);
    if (call.grant && !call.grant->covers(key.partition_key, key.row_key)) {
        co_return refuse(service_code::resource_not_found);
    }
    const auto found = co_await get(call, *table, key);
    if (!found) {
        co_return std::unexpected(to_service_error(found.error()));
    }
    const auto row = *found->rows().begin();
    batch_answer answer{{}, row.timestamp};
    entity_printer({op->level, call.base_url, call.account.account}, name, options->select)
        .append_single(answer.set.json, {key.partition_key, key.row_key, row.timestamp, row.row});
    co_return answer;
}

} // namespace service
