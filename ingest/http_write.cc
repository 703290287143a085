#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/as_future.hh>

#include "http/core/query_string.hh"
#include "ingest/batch_writer.hh"
#include "ingest/core/gunzip.hh"
#include "ingest/error_reply.hh"
#include "ingest/influx_http.hh"
#include "ingest/stream.hh"

namespace ingest {
namespace {

constexpr size_t bad_lines_listed_max = 100;

// What the clients of InfluxDB send with a write. Only precision means something here; what none of them knows is a mistake, and
// a misspelt precision would put points into another year.
constexpr std::array<std::string_view, 13> known_parameters{"precision",      "db",       "rp",          "org", "orgID",
                                                            "bucket",         "bucketID", "consistency", "u",   "p",
                                                            "accept_partial", "no_sync",  "pretty"};

struct write_options {
    time_precision precision = time_precision::ns;
    bool is_compressed = false;
};

std::expected<write_options, refusal> read_options(const http::request_head& head) {
    write_options options;
    const auto parameters = http::query_string::parse(head.query);
    if (!parameters) {
        return std::unexpected(refusal{400, "bad_request", parameters.error().detail});
    }
    const std::span all(parameters->all());
    for (size_t i = 0; i < all.size(); ++i) {
        const auto& given = all[i];
        if (std::ranges::contains(all.first(i), given.name, &http::query_parameter::name)) {
            return std::unexpected(refusal{400, "bad_request", fmt::format("{} is there twice", given.name)});
        }
        if (!std::ranges::contains(known_parameters, given.name)) {
            return std::unexpected(refusal{
                400, "bad_request", fmt::format("there is no parameter '{}' here; times are told by precision", given.name)});
        }
    }
    if (const auto text = parameters->get("precision"); text && !text->empty()) {
        const auto precision = parse_precision(*text);
        if (!precision) {
            return std::unexpected(refusal{400, "bad_request", "precision is one of ns, us, ms, s, m, h"});
        }
        options.precision = *precision;
    }
    const auto encoding = head.header("Content-Encoding").value_or("identity");
    options.is_compressed = http::equal_ignoring_case(encoding, "gzip") || http::equal_ignoring_case(encoding, "deflate");
    if (!options.is_compressed && !http::equal_ignoring_case(encoding, "identity")) {
        return std::unexpected(refusal{415, "bad_request", "a body may be encoded as gzip or deflate, nothing else"});
    }
    return options;
}

// One request on its way in.
class write_call {
public:
    write_call(intake& in, http::request& request, write_options options)
        : _request(request), _lines(in, protocol::line_http, bad_lines_listed_max, options.precision),
          _writer(in, protocol::line_http, patience::none, request.disconnected) {
        if (options.is_compressed) {
            _gunzip.emplace();
        }
    }

    // Reads and sends all of the body; the error, if there is one, is for the client.
    seastar::future<std::optional<refusal>> take_body() {
        for (;;) {
            auto piece = co_await _request.body.next();
            if (!piece) {
                co_return refusal{piece.error().status, "bad_request", std::string(piece.error().reason)};
            }
            if (piece->empty()) {
                co_return co_await finish();
            }
            _received = std::chrono::steady_clock::now();
            const std::string_view bytes(piece->get(), piece->size());
            std::optional<refusal> trouble;
            if (_gunzip) {
                trouble = co_await take_compressed(bytes);
            } else {
                trouble = co_await take_piece(bytes);
            }
            if (trouble) {
                co_return trouble;
            }
        }
    }

    seastar::future<base::expected<void>> drain() { return _writer.drain(); }
    const stream& lines() const { return _lines; }

private:
    seastar::future<std::optional<refusal>> take_piece(std::string_view bytes) {
        if (!_lines.feed(bytes)) {
            co_return refusal{503, "busy", "the memory for long lines is used up; try again later"};
        }
        co_await _writer.send_routed(_received);
        if (_writer.failure()) {
            co_return refusal_of(*_writer.failure()); // no use in reading on
        }
        co_return std::nullopt;
    }

    seastar::future<std::optional<refusal>> take_compressed(std::string_view bytes) {
        for (;;) {
            const auto inflated = _gunzip->next(bytes);
            if (!inflated) {
                co_return inflated.error() == gunzip::fault::too_large
                    ? refusal{413, "too_large", "the body is larger than 1 GiB"}
                    : refusal{400, "bad_request", "the body is not valid gzip"};
            }
            if (inflated->empty()) {
                co_return std::nullopt;
            }
            if (auto trouble = co_await take_piece(*inflated)) {
                co_return trouble;
            }
        }
    }

    seastar::future<std::optional<refusal>> finish() {
        if (_gunzip && !_gunzip->is_whole()) {
            co_return refusal{400, "bad_request", "the gzip stream of the body has no end"};
        }
        _lines.finish();
        co_await _writer.send_routed(_received);
        co_return std::nullopt;
    }

    http::request& _request;
    line_protocol_stream _lines;
    batch_writer _writer;
    std::optional<gunzip> _gunzip;
    std::chrono::steady_clock::time_point _received; // the last piece
};

} // namespace

seastar::future<> answer_write(intake& in, http::request& request, http::reply_writer& reply) {
    if (!in.is_open()) {
        co_return co_await send_error(reply, {503, "not_ready", "the server is starting"});
    }
    const auto options = read_options(request.head);
    if (!options) {
        co_return co_await send_error(reply, options.error());
    }
    write_call call(in, request, *options);
    auto taken = co_await seastar::coroutine::as_future(call.take_body());
    const auto stored = co_await call.drain(); // whatever happened: it must not be under way when the call ends
    const auto trouble = taken.get();
    if (trouble) {
        co_return co_await send_error(reply, *trouble);
    }
    if (!stored) {
        co_return co_await send_error(reply, refusal_of(stored.error()));
    }
    if (call.lines().rejected_count() > 0) {
        co_return co_await send_bad_lines(reply, call.lines().rejected_count(), call.lines().rejected());
    }
    co_await reply.send(204, {{"X-Influxdb-Version", "1.8.10"}});
}

} // namespace ingest
