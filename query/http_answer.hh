// Answers on the wire: pages in the format the client wants, errors in JSON.
#pragma once

#include <span>
#include <string_view>

#include <seastar/core/future.hh>

#include "http/reply_writer.hh"
#include "query/core/native/encoder.hh"
#include "query/executor.hh"

namespace query {

// From a raw query string.
base::expected<request> read_request(verb, std::string_view raw_query, int64_t now_ns);
base::expected<list_page> read_list_page(std::string_view raw_query);

// The cursor of a list whose names are any bytes, which JSON does not hold; and such a page as its cursor means it.
std::string cursor_of_bytes(std::string_view name);
base::expected<list_page> with_bytes_behind(list_page);

// {"error":{"code":...,"message":...}}
seastar::future<> send_error(http::reply_writer&, unsigned status, std::string_view code, std::string_view message);
seastar::future<> send_error(http::reply_writer&, const base::error&);
// Over budget: says which, and gives the cursor (empty: none) that leads to the same page, for a client that asks for less.
seastar::future<> send_error(http::reply_writer&, const failure&, std::string cursor);

// The body of that reply, with a line end.
std::string error_json(const failure&, std::string_view cursor);

http::reply_writer::buffer to_buffer(std::string);

// What an answer had to leave out, if anything. Before the reply starts.
void add_damage_field(http::reply_writer&, std::span<const damaged_range>);

// Streams; a slow client slows it down. The plan must outlive the future.
seastar::future<> send_rows(http::reply_writer&, format, const plan&, row_page);
seastar::future<> send_aggregates(http::reply_writer&, format, const plan&, aggregate_page);

} // namespace query
