#include "query/log_lists.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "base/ticks.hh"
#include "blobs/blob_listing.hh"
#include "http/core/query_string.hh"
#include "query/core/native/json_text.hh"
#include "query/core/native/listing.hh"
#include "query/http_answer.hh"

namespace query {
namespace {

struct blob_page {
    list_page page;
    std::string prefix;
};

base::expected<blob_page> read_blob_page(std::string_view raw_query) {
    const auto query = http::query_string::parse(raw_query);
    if (!query) {
        return std::unexpected(query.error());
    }
    blob_page asked;
    std::vector<parameter> others;
    for (const auto& p : query->all()) {
        if (p.name == "prefix") {
            asked.prefix = p.value;
        } else {
            others.push_back({p.name, p.value});
        }
    }
    auto page = parse_list_page(others, "prefix, limit, cursor");
    if (!page) {
        return std::unexpected(page.error());
    }
    asked.page = std::move(*page);
    return asked;
}

// To the tick: for a person, and as a bound of a range.
std::string json_time(int64_t ns) {
    return json_string(base::to_text(base::tick_from_unix_ns(ns)));
}

std::string to_json(const blobs::source_info& s) {
    return fmt::format(R"({{"source":{},"records":{},"raw_bytes":{},"stored_bytes":{},"blobs":{},"first":{},"last":{}}})",
                       json_string(s.name), s.records_count, s.raw_bytes, s.stored_bytes, s.blobs_count, json_time(s.first_ns),
                       json_time(s.last_ns));
}

std::string to_json(const blobs::blob_info& b) {
    return fmt::format(
        R"({{"name":{},"source":{},"state":"{}","records":{},"raw_bytes":{},"stored_bytes":{},"first":{},"last":{}}})",
        json_string(b.name), json_string(b.source), b.is_open ? "open" : "sealed", b.records_count, b.raw_bytes, b.stored_bytes,
        json_time(b.first_ns), json_time(b.last_ns));
}

std::string cursor_of(const blobs::source_info& s) {
    return cursor_of_bytes(s.name);
}

std::string cursor_of(const blobs::blob_info& b) {
    return b.name;
}

// Of at most `limit` items; with one more there is a cursor.
template <class Info>
std::string to_json(std::string_view list_name, const std::vector<Info>& items, size_t limit) {
    std::string out = fmt::format("{{\"{}\":[", list_name);
    for (size_t i = 0; i < std::min(items.size(), limit); ++i) {
        out += i == 0 ? "\n" : ",\n";
        out += to_json(items[i]);
    }
    const auto cursor = items.size() > limit ? json_string(cursor_of(items[limit - 1])) : "null";
    return out + fmt::format("],\"cursor\":{}}}\n", cursor);
}

} // namespace

seastar::future<> answer_sources(seastar::sharded<blobs::log_store>& stores, http::request& request, http::reply_writer& reply) {
    const auto page = read_list_page(request.head.query).and_then(with_bytes_behind);
    if (!page) {
        co_return co_await send_error(reply, page.error());
    }
    const auto found = co_await blobs::list_sources(stores, page->after, page->limit + 1);
    co_await reply.send(200, {http::json_type}, to_json("sources", found, page->limit));
}

// A block that is damaged, or a merge on the way, ends the reply short of its length, which no client takes for the whole.
seastar::future<> answer_blob_text(seastar::sharded<blobs::log_store>& stores, std::string name, http::reply_writer& reply) {
    const auto found = co_await blobs::find_blob(stores, name);
    if (!found) {
        co_return co_await send_error(reply, found.error());
    }
    reply.start(200, {{"Content-Type", "text/plain"}}, found->raw_bytes);
    for (uint64_t at = 0; at < found->raw_bytes;) {
        auto text = co_await blobs::read_text(stores, *found, at);
        if (!text || text->empty()) {
            throw std::runtime_error(text ? "a blob is shorter than it says" : text.error().detail);
        }
        at += text->size();
        co_await reply.write(to_buffer(std::move(*text)));
    }
    co_await reply.finish();
}

seastar::future<> answer_blobs(seastar::sharded<blobs::log_store>& stores, http::request& request, http::reply_writer& reply) {
    const auto asked = read_blob_page(request.head.query);
    if (!asked) {
        co_return co_await send_error(reply, asked.error());
    }
    const auto found =
        co_await blobs::list_blobs(stores, asked->prefix, asked->page.after, asked->page.limit + 1, blobs::open_buffers::shown);
    co_await reply.send(200, {http::json_type}, to_json("blobs", found, asked->page.limit));
}

} // namespace query
