#include "service/blob_service.hh"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "http/core/percent.hh"
#include "service/access.hh"
#include "service/core/blob_condition.hh"
#include "service/core/blob_signature.hh"
#include "service/table_call.hh"

namespace service {
namespace {

constexpr std::string_view container_name = "logs";
constexpr std::string_view wire_version = "2025-11-05";
constexpr size_t results_max = 5'000;
// Blobs asked for at a time where a delimiter may make one prefix of all of them.
constexpr size_t delimited_step_max = 64;
constexpr std::string_view read_only =
    "This is the read side of the logs: records come in over syslog, JSON lines or POST /v1/logs/SOURCE, and "
    "are sealed into blobs by the server.";

// What the wire knows beyond service_code.
struct blob_error {
    unsigned status;
    std::string_view code;
    std::string message;
};

blob_error error_of(const service_error& e) {
    return {status(e.code), name(e.code), std::string(e.text())};
}

blob_error error_of(const base::error& e) {
    return e.code == base::errc::entity_not_found ? blob_error{404, "BlobNotFound", "The specified blob does not exist."}
                                                  : blob_error{500, "InternalError", e.detail};
}

blob_properties properties_of(const blobs::blob_info& b) {
    return {b.name, b.raw_bytes, b.records_count, base::tick_from_unix_ns(b.first_ns), base::tick_from_unix_ns(b.last_ns)};
}

std::string_view trimmed(std::string_view text) {
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// `zstd` by name, unless with a weight of nothing. Who takes anything (*) may not know it.
bool accepts_zstd(const http::request_head& head) {
    std::string_view rest = head.header("accept-encoding").value_or("");
    while (!rest.empty()) {
        auto one = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(one.size() + 1, rest.size()));
        const auto coding = trimmed(one.substr(0, one.find(';')));
        one.remove_prefix(std::min(one.find(';') + 1, one.size()));
        const auto weight = trimmed(one);
        if (http::equal_ignoring_case(coding, "zstd")) {
            return !weight.starts_with("q=0") || weight.find_first_of("123456789") != weight.npos;
        }
    }
    return false;
}

http::reply_writer::buffer to_buffer(std::string text) {
    auto owned = std::make_unique<std::string>(std::move(text));
    auto* data = owned->data();
    const auto size = owned->size();
    return {data, size, seastar::make_object_deleter(std::move(owned))};
}

} // namespace

struct blob_service::call {
    http::request& request;
    http::reply_writer& reply;
    base::tick now;
    http::query_string query{};
    account_part account{};
    std::string container{};
    std::string blob{};
    std::string endpoint{};

    bool is_read() const { return request.head.method == "GET" || request.head.method == "HEAD"; }
    // Of one blob there is no list, whatever `comp` says: what is done and what is permitted are decided by the same word.
    bool is_list() const { return blob.empty() && query.get("comp") == "list"; }
    void add_common_fields() {
        reply.add_field("x-ms-request-id", make_guid());
        reply.add_field("x-ms-version", std::string(wire_version));
        if (const auto id = request.head.header("x-ms-client-request-id")) {
            reply.add_field("x-ms-client-request-id", std::string(*id));
        }
    }
    void add_properties(const blob_properties& b) {
        reply.add_field("ETag", '"' + b.etag() + '"');
        reply.add_field("Last-Modified", http_date(b.last));
        reply.add_field("x-ms-creation-time", http_date(b.first));
        reply.add_field("x-ms-meta-first", base::to_text(b.first));
        reply.add_field("x-ms-meta-last", base::to_text(b.last));
        reply.add_field("x-ms-meta-records", std::to_string(b.records_count));
        reply.add_field("Vary", "Accept-Encoding");
    }
    seastar::future<> refuse(blob_error e) {
        reply.add_field("x-ms-error-code", std::string(e.code));
        return reply.send(e.status, {{"Content-Type", "application/xml"}}, blob_error_xml(e.code, e.message));
    }
    seastar::future<> send_xml(std::string xml) { return reply.send(200, {{"Content-Type", "application/xml"}}, std::move(xml)); }
    outcome<void> understand(std::span<const std::string> accounts);
};

outcome<void> blob_service::call::understand(std::span<const std::string> accounts) {
    const auto host = request.head.header("host").value_or("");
    auto part = split_account(host, request.head.path, {accounts, {}});
    auto parsed = http::query_string::parse(request.head.query);
    if (!part || !parsed) {
        return part ? service::refuse(service_code::invalid_uri) : std::unexpected(part.error());
    }
    account = *part;
    query = std::move(*parsed);
    endpoint = base_url(request.is_secure ? "https" : "http", host, account);
    auto path = http::percent_decode(account.resource_path);
    if (!path) {
        return service::refuse(service_code::invalid_uri);
    }
    std::string_view rest = *path;
    rest.remove_prefix(rest.starts_with('/') ? 1 : 0);
    const auto slash = std::min(rest.find('/'), rest.size());
    container = rest.substr(0, slash);
    blob = rest.substr(std::min(slash + 1, rest.size()));
    return {};
}

blob_service::blob_service(blob_service_config config, seastar::sharded<blobs::log_store>& logs)
    : _config(std::move(config)), _logs(logs) {
    for (const auto& a : _config.accounts) {
        _account_names.push_back(a.name);
    }
}

void blob_service::set_keys(const std::vector<account>& now) {
    for (auto& a : _config.accounts) {
        const auto found = std::ranges::find(now, a.name, &account::name);
        a.keys = found == now.end() ? std::vector<std::string>() : found->keys;
    }
}

http::handler blob_service::handler() {
    return [this](http::request& request, http::reply_writer& reply) { return handle(request, reply); };
}

http::error_handler blob_service::error_handler() {
    return [](http::protocol_error e, http::reply_writer& reply) {
        return reply.send(e.status, {{"Content-Type", "application/xml"}}, blob_error_xml("InvalidInput", e.reason));
    };
}

seastar::future<> blob_service::handle(http::request& request, http::reply_writer& reply) {
    call c{request, reply, _config.now()};
    c.add_common_fields();
    auto allowed = c.understand(_account_names);
    if (allowed) {
        allowed = admit(c);
    }
    if (!allowed) {
        co_return co_await c.refuse(error_of(allowed.error()));
    }
    co_await dispatch(c);
}

outcome<void> blob_service::admit(const call& c) const {
    const auto owner = std::ranges::find(_config.accounts, c.account.account, &account::name);
    if (owner == _config.accounts.end()) {
        return refuse(service_code::resource_not_found);
    }
    const account_secrets secrets{owner->name, owner->keys};
    if (const auto header = c.request.head.header("authorization")) {
        return authenticate_blob(*header, c.request.head, c.query, secrets, {.now = c.now});
    }
    const auto peer = ipv4_of(c.request.peer);
    return check_blob_sas(c.query, {c.container, c.blob, c.is_list()}, secrets, {c.now, peer, c.request.is_secure, {}, 'b'});
}

seastar::future<> blob_service::dispatch(call& c) {
    if (!c.is_read()) {
        return c.refuse({403, "InsufficientAccountPermissions", std::string(read_only)});
    }
    if (c.container.empty()) {
        return c.is_list() ? list_containers(c) : c.refuse({400, "InvalidQueryParameterValue", "Only comp=list is known here."});
    }
    if (c.container != container_name || c.account.account != _config.accounts.front().name) {
        return c.refuse({404, "ContainerNotFound", "The specified container does not exist."});
    }
    if (c.blob.empty()) {
        return c.is_list() ? list(c) : container_properties(c);
    }
    return get(c);
}

seastar::future<> blob_service::list_containers(call& c) {
    return c.send_xml(container_list_xml(c.endpoint, container_name, c.now));
}

seastar::future<> blob_service::container_properties(call& c) {
    return c.reply.send(200, {{"ETag", "\"0x1\""},
                              {"Last-Modified", http_date(c.now)},
                              {"x-ms-lease-state", "available"},
                              {"x-ms-lease-status", "unlocked"}});
}

// With a delimiter the walk jumps: behind the first blob of a prefix it goes on behind all of them.
seastar::future<> blob_service::list(call& c) {
    const auto parameter = [&](std::string_view name) { return std::string(c.query.get(name).value_or("")); };
    blob_list_question asked{.prefix = parameter("prefix"), .delimiter = parameter("delimiter"), .marker = parameter("marker")};
    asked.with_metadata = parameter("include").contains("metadata");
    if (const auto text = parameter("maxresults"); !text.empty()) {
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), asked.results_max);
        if (status != std::errc() || end != text.data() + text.size() || asked.results_max == 0) {
            co_return co_await c.refuse({400, "InvalidQueryParameterValue", "maxresults is not a number above 0."});
        }
        asked.results_max = std::min(asked.results_max, results_max);
    }
    blob_list_page page;
    constexpr char above_all = '~'; // of the characters a name has
    auto after = asked.marker;
    for (bool has_more = true; has_more;) {
        const auto room = asked.results_max - page.blobs.size() - page.prefixes.size();
        const auto count = asked.delimiter.empty() ? room + 1 : std::min(room + 1, delimited_step_max);
        const auto found = co_await blobs::list_blobs(_logs, asked.prefix, after, count, blobs::open_buffers::hidden);
        has_more = found.size() == count;
        for (const auto& b : found) {
            if (page.blobs.size() + page.prefixes.size() == asked.results_max) {
                page.next_marker = after;
                has_more = false;
                break;
            }
            const auto cut = asked.delimiter.empty() ? std::string::npos : b.name.find(asked.delimiter, asked.prefix.size());
            if (cut != std::string::npos) {
                page.prefixes.push_back(b.name.substr(0, cut + asked.delimiter.size()));
                after = page.prefixes.back() + above_all;
                has_more = true;
                break;
            }
            page.blobs.push_back(properties_of(b));
            after = b.name;
        }
    }
    co_await seastar::coroutine::maybe_yield(); // before thousands are written down
    co_await c.send_xml(blob_list_xml(c.endpoint, container_name, asked, page));
}

// The text is decoded block by block; a slow client slows it down. A block that is damaged, or a merge on the way, ends the reply
// short of its length, which no client takes for the whole.
seastar::future<> blob_service::get(call& c) {
    auto found = co_await blobs::find_blob(_logs, c.blob);
    if (!found) {
        co_return co_await c.refuse(error_of(found.error()));
    }
    const auto properties = properties_of(*found);
    c.add_properties(properties);
    const auto condition =
        check_blob_conditions(c.request.head.header("if-match"), c.request.head.header("if-none-match"), properties.etag());
    if (condition != blob_condition::met) {
        const unsigned status = condition == blob_condition::failed ? 412 : 304;
        co_return co_await c.refuse(
            {status, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met."});
    }
    byte_range range{0, properties.bytes};
    const auto asked = c.request.head.header("x-ms-range").or_else([&] { return c.request.head.header("range"); });
    if (asked) {
        const auto parsed = parse_byte_range(*asked, properties.bytes);
        if (!parsed) {
            c.reply.add_field("Content-Range", fmt::format("bytes */{}", properties.bytes));
            co_return co_await c.refuse(
                {416, "InvalidRange", "The range specified is invalid for the current size of the resource."});
        }
        range = *parsed;
        c.reply.add_field("Content-Range", fmt::format("bytes {}-{}/{}", range.begin, range.end - 1, properties.bytes));
    }
    // Ranges are of the text, so a part of it is sent as it is.
    const bool is_encoded = !asked && c.request.head.method == "GET" && accepts_zstd(c.request.head);
    if (is_encoded) {
        c.reply.add_field("Content-Encoding", "zstd");
        c.reply.add_field("x-ms-blob-content-length", std::to_string(properties.bytes));
    }
    const std::string_view type = c.query.get("comp") == "metadata" ? "application/xml" : "text/plain";
    c.reply.start(asked ? 206 : 200,
                  {{"Content-Type", type},
                   {"Accept-Ranges", "bytes"},
                   {"x-ms-blob-type", "BlockBlob"},
                   {"x-ms-lease-state", "available"},
                   {"x-ms-lease-status", "unlocked"}},
                  is_encoded ? std::nullopt : std::optional(range.end - range.begin));
    if (is_encoded) {
        co_await send_frames(c, *found, range.end);
    } else if (c.request.head.method == "GET") {
        co_await send_text(c, *found, range);
    }
    co_await c.reply.finish();
}

seastar::future<> blob_service::send_text(call& c, blobs::blob_info blob, byte_range range) {
    for (auto at = range.begin; at < range.end;) {
        auto text = co_await blobs::read_text(_logs, blob, at);
        if (!text || text->empty()) {
            throw std::runtime_error(text ? "a blob is shorter than it says" : text.error().detail);
        }
        text->resize(std::min<uint64_t>(text->size(), range.end - at));
        at += text->size();
        co_await c.reply.write(to_buffer(std::move(*text)));
    }
}

seastar::future<> blob_service::send_frames(call& c, blobs::blob_info blob, uint64_t end) {
    for (uint64_t at = 0; at < end;) {
        auto frame = co_await blobs::read_frame(_logs, blob, at);
        if (!frame || frame->raw_bytes == 0) {
            throw std::runtime_error(frame ? "a blob is shorter than it says" : frame.error().detail);
        }
        at += frame->raw_bytes;
        co_await c.reply.write(to_buffer(std::move(frame->bytes)));
    }
}

} // namespace service
