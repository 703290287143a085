// One request to the Table port on its way: what was asked, as far as it is known, and how to answer it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>

#include "http/core/query_string.hh"
#include "http/handler.hh"
#include "service/core/accept.hh"
#include "service/core/account_url.hh"
#include "service/core/entity_printer.hh"
#include "service/core/operation.hh"
#include "service/core/resource_url.hh"
#include "service/core/sas.hh"
#include "service/core/service_error.hh"

namespace service {

// A random GUID, for request and boundary ids.
std::string make_guid();

class table_call {
public:
    table_call(http::request&, http::reply_writer&, base::tick now);

    // Fills in what URL and headers say: first account and query, then resource, version, time limit and operation. The first
    // thing wrong is the one that is told.
    outcome<void> find_account(const account_names&);
    outcome<void> understand();

    std::optional<std::string_view> header(std::string_view name) const { return request.head.header(name); }
    // Up to the limit of a request and within its time; RequestBodyTooLarge, ServerBusy when memory is short, or what was wrong
    // with the connection.
    seastar::future<outcome<std::string>> read_body();

    // A header that the reply will carry whatever it is, errors too.
    void add_field(std::string_view name, std::string value) { _added_fields.emplace_back(name, std::move(value)); }
    // Each answers the request; the common headers are added.
    using fields = std::vector<http::reply_field>;
    seastar::future<> send(unsigned status, fields extra = {}, std::string body = {});
    seastar::future<> send_json(unsigned status, fields extra, std::string body);
    seastar::future<> send_error(service_error);

    // JSON before it is known what is asked for.
    call_face face() const { return _face; }
    reply_context context() const { return {level, base_url, account.account}; }
    error_stamp stamp() const { return {request_id, now}; }
    std::string entity_url(std::string_view table, std::string_view partition_key, std::string_view row_key) const;

    http::request& request;
    http::reply_writer& reply;
    const base::tick now;
    const std::string request_id;
    http::query_string query;
    account_part account;
    resource what;
    operation op{};
    metadata_level level = metadata_level::minimal;
    std::string base_url;
    std::chrono::steady_clock::time_point deadline; // of the work for it, as the client asked or the protocol says
    bool exposes_all_fields = false;                // the reply lists its own headers, for a page of another origin
    std::optional<sas_grant> grant; // of a shared access signature; nothing: an account key, which opens everything

private:
    outcome<void> find_operation();
    seastar::future<> read_away();

    call_face _face = call_face::odata;
    std::vector<std::pair<std::string, std::string>> _added_fields;
};

} // namespace service
