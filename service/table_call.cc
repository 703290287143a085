#include "service/table_call.hh"

#include <random>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "service/core/limits.hh"
#include "service/core/request_options.hh"

namespace service {
namespace {

constexpr std::string_view server_name = "Downtick-Table/1.0";
constexpr size_t oversize_body_read_away_bytes_max = 4 * request_body_bytes_max;

service_error of_connection(const http::protocol_error& e) {
    switch (e.status) {
    case 413: return {service_code::request_body_too_large};
    case 408: return {service_code::operation_timed_out};
    case 503: return {service_code::server_busy};
    default: return {service_code::invalid_input, std::string(e.reason)};
    }
}

// Those of the framing come without being listed.
std::string names_of(const table_call::fields& all) {
    std::string names;
    for (const auto& field : all) {
        names += field.name;
        names += ',';
    }
    return names + "Content-Length,Date,Transfer-Encoding";
}

} // namespace

std::string make_guid() {
    static thread_local std::mt19937_64 random{std::random_device()()};
    const uint64_t high = random();
    const uint64_t low = random();
    return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xfff,
                       0x8000 | ((low >> 48) & 0x3fff), low & 0xffff'ffff'ffff);
}

table_call::table_call(http::request& r, http::reply_writer& w, base::tick time)
    : request(r), reply(w), now(time), request_id(make_guid()) {}

outcome<void> table_call::find_account(const account_names& names) {
    auto part = split_account(header("host").value_or(""), request.head.path, names);
    if (!part) {
        return std::unexpected(part.error());
    }
    account = *part;
    base_url = service::base_url(request.is_secure ? "https" : "http", header("host").value_or(""), account);
    auto parameters = http::query_string::parse(request.head.query);
    if (!parameters) {
        return refuse(service_code::invalid_uri);
    }
    query = std::move(*parameters);
    return {};
}

// The resource comes first: it says in which words all other errors are told.
outcome<void> table_call::understand() {
    auto named = parse_resource(account.resource_path, query.get("restype"), query.get("comp"));
    if (!named) {
        return std::unexpected(named.error());
    }
    what = std::move(*named);
    _face = is_xml(what) ? call_face::xml : call_face::odata;
    if (auto good = check_version(header("x-ms-version")); !good) {
        return good;
    }
    const auto seconds = parse_timeout_seconds(query);
    if (!seconds) {
        return std::unexpected(seconds.error());
    }
    deadline = std::chrono::steady_clock::now() + std::chrono::seconds(*seconds);
    return find_operation();
}

outcome<void> table_call::find_operation() {
    std::vector<std::string_view> tunnelled;
    for (const auto& field : request.head.headers) {
        if (http::equal_ignoring_case(field.name, "x-http-method")) {
            tunnelled.push_back(field.value);
        }
    }
    const auto wanted = effective_verb(request.head.method, tunnelled);
    if (!wanted) {
        return std::unexpected(wanted.error());
    }
    const auto found =
        service::find_operation(what, *wanted, header("if-match") ? if_match_header::present : if_match_header::absent);
    if (!found) {
        return std::unexpected(found.error());
    }
    op = *found;
    if (account.which == replica::secondary && is_write(op)) {
        return refuse(service_code::insufficient_account_permissions);
    }
    return {};
}

seastar::future<outcome<std::string>> table_call::read_body() {
    request.body.limit_time(std::chrono::duration_cast<http::wire::clock::duration>(deadline - std::chrono::steady_clock::now()));
    auto body = co_await request.body.read_all(request_body_bytes_max);
    if (!body && body.error().status == 413 && !request.head.expect_continue) {
        co_await read_away();
    }
    if (!body) {
        co_return std::unexpected(of_connection(body.error()));
    }
    co_return std::move(*body);
}

// Clients send the whole body before they look for a reply; one that finds the connection closed by then never learns why, and
// tries again. So a body that is not much too large is taken in.
seastar::future<> table_call::read_away() {
    for (size_t bytes = 0; bytes <= oversize_body_read_away_bytes_max;) {
        const auto piece = co_await request.body.next();
        if (!piece || piece->empty()) {
            co_return;
        }
        bytes += piece->size();
    }
}

seastar::future<> table_call::send(unsigned status, fields extra, std::string body) {
    if (face() == call_face::odata) {
        extra.push_back({"Cache-Control", "no-cache"});
        extra.push_back({"X-Content-Type-Options", "nosniff"});
    }
    for (const auto& [name, value] : _added_fields) {
        extra.push_back({name, value});
    }
    extra.push_back({"Server", server_name});
    extra.push_back({"x-ms-request-id", request_id});
    if (const auto version = header("x-ms-version")) {
        extra.push_back({"x-ms-version", *version});
    }
    if (const auto id = header("x-ms-client-request-id"); id && is_echoed(*id)) {
        extra.push_back({"x-ms-client-request-id", *id});
    }
    std::string exposed;
    if (exposes_all_fields) {
        exposed = names_of(extra);
        extra.push_back({"Access-Control-Expose-Headers", exposed});
    }
    return reply.send(status, extra, std::move(body));
}

seastar::future<> table_call::send_json(unsigned status, fields extra, std::string body) {
    extra.push_back({"Content-Type", content_type_of(level)});
    return send(status, std::move(extra), std::move(body));
}

seastar::future<> table_call::send_error(service_error e) {
    std::string body;
    fields extra{{"x-ms-error-code", name(e.code)}};
    if (e.code == service_code::method_not_allowed) {
        extra.push_back({"Allow", allowed_methods(what)});
    }
    if (e.code == service_code::server_busy) {
        extra.push_back({"Retry-After", "1"});
    }
    if (error_format(face(), e.code, header("accept"), query.get("$format")) == body_format::xml) {
        append_xml_error(body, e, stamp());
        extra.push_back({"Content-Type", "application/xml"});
    } else {
        append_json_error(body, e, stamp());
        extra.push_back({"Content-Type", content_type_of(level)});
    }
    return send(status(e.code), std::move(extra), std::move(body));
}

std::string table_call::entity_url(std::string_view table, std::string_view partition_key, std::string_view row_key) const {
    return text_of([&](text_sink& out) {
        out.put(base_url);
        out.put('/');
        put_entity_path(out, table, partition_key, row_key);
    });
}

} // namespace service
