// The Table service over HTTP: Azure Tables' REST protocol on the table engine. One instance on each shard.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/scheduling.hh>
#include <seastar/core/sharded.hh>

#include "http/handler.hh"
#include "service/account.hh"
#include "service/core/entity_json.hh"
#include "service/core/multipart.hh"
#include "service/core/partition_heat.hh"
#include "service/core/request_options.hh"
#include "service/core/service_properties.hh"
#include "service/entity_query.hh"
#include "service/table_call.hh"
#include "tables/engine.hh"

namespace service {

struct table_service_config {
    std::vector<account> accounts;
    std::function<base::tick()> now;
    // Where requests for partitions that most requests are for get their share of the processor.
    seastar::scheduling_group crowd;
};

class table_service {
public:
    table_service(table_service_config, tables::engine&);

    // The keys of the accounts it has are these from the next request on; an account that is not among them has none.
    void set_keys(const std::vector<account>&);

    // For http::server; this must outlive the server.
    http::handler handler();
    // What is no HTTP, or too much of it, is refused in the words of the protocol too.
    http::error_handler error_handler();

private:
    seastar::future<> handle(http::request&, http::reply_writer&);
    seastar::future<> refuse_unread(http::protocol_error, http::reply_writer&) const;
    seastar::future<> dispatch(table_call&);

    // Tables (table_calls.cc).
    seastar::future<> query_tables(table_call&);
    seastar::future<> get_table(table_call&);
    seastar::future<> create_table(table_call&);
    seastar::future<> delete_table(table_call&);

    // Single entities (entity_calls.cc).
    seastar::future<> get_entity(table_call&);
    seastar::future<> insert_entity(table_call&);
    seastar::future<> change_entity(table_call&);

    // Sets (query_call.cc).
    seastar::future<> query_entities(table_call&);
    // `call` and `table_name` must outlive the future. The level is the call's, or that of the request inside a batch.
    seastar::future<outcome<entity_set>> query_set(const table_call& call, metadata_level, base::table_id,
                                                   std::string_view table_name, query_options);

    // Transactions (batch_call.cc).
    struct batch_answer {
        entity_set set;
        std::optional<base::tick> timestamp; // of a single entity
    };
    seastar::future<> batch(table_call&);
    seastar::future<> batch_query(table_call&, const sub_request&);
    seastar::future<outcome<batch_answer>> batch_query_json(table_call&, const sub_request&);

    // Access policies, properties, statistics (xml_calls.cc).
    seastar::future<> get_acl(table_call&);
    seastar::future<> set_acl(table_call&);
    seastar::future<> get_properties(table_call&);
    seastar::future<> set_properties(table_call&);
    seastar::future<> get_stats(table_call&);
    // Those that the signature of this call can refer to.
    std::vector<signed_identifier> policies_of(const table_call&) const;
    // Valid until the next suspension.
    const service_properties& properties_of(std::string_view account);

    // Other origins (cors_calls.cc).
    seastar::future<> preflight(table_call&);
    void add_cors_fields(table_call&);

    // Where a request goes on once it is known what it is for. Up to there all are equal: they are short, and a connection has
    // only one under way.
    seastar::scheduling_group lane_for(base::table_id, std::string_view partition_key, size_t body_bytes);
    outcome<base::table_id> find_table(const table_call&, std::string_view name) const;
    // The engine's, within the time of the call. A write that took longer may still happen.
    seastar::future<base::expected<tables::owned_rows>> get(const table_call&, base::table_id, const entity_resource&);
    seastar::future<tables::commit_outcome> commit(const table_call&, tables::transaction);

    table_service_config _config;
    std::vector<std::string> _account_names;
    tables::engine& _engine;
    entity_parser _parser;
    partition_heat _heat;
    // What was read from the catalog's text, by account; every request asks for the CORS rules.
    struct read_properties {
        std::string text;
        service_properties properties;
    };
    std::unordered_map<std::string, read_properties> _properties;
};

} // namespace service
