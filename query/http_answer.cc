#include "query/http_answer.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/core/deleter.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "http/core/query_string.hh"
#include "query/core/native/aggregate_decoder.hh"
#include "query/core/native/json_text.hh"
#include "query/core/native/page_end.hh"
#include "query/core/native/row_decoder.hh"
#include "query/core/time_text.hh"

namespace query {
namespace {

// One write to the client.
constexpr size_t piece_bytes = 32 << 10;
// Rows between looks at others who want the core. A row of percentiles is some hundred microseconds of work.
constexpr size_t rows_per_step = 8;

unsigned status_of(base::errc code) {
    switch (code) {
    case base::errc::invalid_argument:
    case base::errc::table_name_length:
    case base::errc::table_name_invalid:
    case base::errc::table_name_reserved: return 400;
    case base::errc::table_exists: return 409;
    case base::errc::entity_not_found:
    case base::errc::table_not_found: return 404;
    case base::errc::out_of_space: return 507;
    case base::errc::busy:
    case base::errc::log_failed:
    case base::errc::shutting_down: return 503;
    default: return 500;
    }
}

std::string_view code_of(base::errc code) {
    switch (code) {
    case base::errc::invalid_argument: return "bad_request";
    case base::errc::entity_not_found:
    case base::errc::table_not_found: return "not_found";
    default: return base::name(code);
    }
}

std::string_view sentence_of(const base::error& e) {
    return e.detail.empty() ? base::name(e.code) : std::string_view(e.detail);
}

std::string_view budget_name(fault what) {
    switch (what) {
    case fault::over_time: return "time";
    case fault::over_scan: return "scan";
    default: return "memory";
    }
}

std::string error_members(std::string_view code, std::string_view message) {
    return fmt::format("\"code\":{},\"message\":{}", json_string(code), json_string(message));
}

void start_reply(http::reply_writer& reply, format as, const answer_facts& facts) {
    reply.add_field("X-Downtick-Rows-Examined", std::to_string(facts.rows_examined));
    reply.add_field("X-Downtick-Rows-Skipped", std::to_string(facts.rows_skipped));
    reply.add_field("X-Downtick-Blocks-Read", std::to_string(facts.blocks_read));
    if (facts.range.start_ns != time_range::always) {
        reply.add_field("X-Downtick-Start", time_text(facts.range.start_ns));
    }
    if (facts.range.end_ns != time_range::forever) {
        reply.add_field("X-Downtick-End", time_text(facts.range.end_ns));
    }
    if (!facts.cursor.empty()) {
        reply.add_field("X-Downtick-Cursor", facts.cursor);
    }
    add_damage_field(reply, facts.damage);
    reply.start(200, {{"Content-Type", content_type(as)}});
}

// Sends `count` rows, each made when its turn comes; formats that need all columns ahead have them made twice.
seastar::future<> stream(http::reply_writer& reply, format as, column_set columns, const answer_facts& facts, size_t count,
                         std::function<answer_row(size_t)> row_at) {
    for (size_t i = 0; i < count && (as == format::csv || as == format::arrow); ++i) {
        columns.observe(row_at(i));
        if (columns.is_too_wide()) {
            co_return co_await send_error(reply, 422, "too_many_columns",
                                          fmt::format("the rows of this page have more than {} columns; say by select which are "
                                                      "wanted, lower limit, or take JSON",
                                                      flat_columns_max));
        }
        if (i % rows_per_step == rows_per_step - 1) {
            co_await seastar::coroutine::maybe_yield();
        }
    }
    columns.close();
    start_reply(reply, as, facts);
    const auto encoder = make_encoder(as, columns, facts);
    std::string out;
    for (size_t i = 0; i < count; ++i) {
        encoder->add(row_at(i), out);
        if (out.size() >= piece_bytes) {
            co_await reply.write(to_buffer(std::exchange(out, {})));
        } else if (i % rows_per_step == rows_per_step - 1) {
            co_await seastar::coroutine::maybe_yield();
        }
    }
    encoder->finish(facts, out);
    co_await reply.finish(to_buffer(std::move(out)));
}

} // namespace

base::expected<request> read_request(verb v, std::string_view raw_query, int64_t now_ns) {
    const auto query = http::query_string::parse(raw_query);
    if (!query) {
        return std::unexpected(query.error());
    }
    std::vector<parameter> parameters;
    for (const auto& p : query->all()) {
        parameters.push_back({p.name, p.value});
    }
    return parse_request(v, parameters, now_ns);
}

seastar::future<> send_error(http::reply_writer& reply, unsigned status, std::string_view code, std::string_view message) {
    return reply.send(status, {http::json_type}, fmt::format("{{\"error\":{{{}}}}}\n", error_members(code, message)));
}

seastar::future<> send_error(http::reply_writer& reply, const base::error& e) {
    return send_error(reply, status_of(e.code), code_of(e.code), sentence_of(e));
}

std::string error_json(const failure& f, std::string_view cursor) {
    if (f.what == fault::refused) {
        return fmt::format("{{\"error\":{{{}}}}}\n", error_members(code_of(f.why.code), sentence_of(f.why)));
    }
    if (f.what == fault::cancelled) {
        return fmt::format("{{\"error\":{{{}}}}}\n", error_members("cancelled", "nobody waited for the answer any more"));
    }
    const auto budget = budget_name(f.what);
    auto members = error_members("over_budget", fmt::format("the query went over its budget of {}; narrow start and end, name a "
                                                            "partition, or lower limit (of tail: lower n, or narrow where)",
                                                            budget));
    members += fmt::format(",\"budget\":\"{}\",\"cursor\":", budget);
    if (cursor.empty()) {
        members += "null";
    } else {
        append_json_string(cursor, members);
    }
    return fmt::format("{{\"error\":{{{}}}}}\n", members);
}

seastar::future<> send_error(http::reply_writer& reply, const failure& f, std::string cursor) {
    const unsigned status = f.what == fault::refused ? status_of(f.why.code) : f.what == fault::cancelled ? 503 : 422;
    return reply.send(status, {http::json_type}, error_json(f, cursor));
}

void add_damage_field(http::reply_writer& reply, std::span<const damaged_range> ranges) {
    if (!ranges.empty()) {
        std::string json;
        append_json_damage(ranges, json);
        reply.add_field("X-Downtick-Damaged", std::move(json));
    }
}

http::reply_writer::buffer to_buffer(std::string text) {
    auto held = std::make_unique<std::string>(std::move(text));
    auto* data = held->data();
    const auto size = held->size();
    return {data, size, seastar::make_object_deleter(std::move(held))};
}

seastar::future<> send_rows(http::reply_writer& reply, format as, const plan& p, row_page page) {
    auto [count, cursor] = end_of_page(p, *page.rows);
    if (p.asked.verb == verb::range) {
        page.facts.cursor = std::move(cursor);
    }
    row_decoder decoder(p);
    const auto& rows = page.rows->finish();
    co_await stream(reply, as, column_set(p), page.facts, count, [&](size_t i) { return decoder.decode(*rows[i]); });
}

seastar::future<> send_aggregates(http::reply_writer& reply, format as, const plan& p, aggregate_page page) {
    aggregate_decoder decoder(*page.sums);
    co_await stream(reply, as, column_set(*p.asked.aggregates), page.facts, page.cells.size(),
                    [&](size_t i) { return decoder.decode(*page.cells[i]); });
}

} // namespace query
