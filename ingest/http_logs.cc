#include "ingest/http_logs.hh"

#include <optional>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/as_future.hh>

#include "ingest/batch_writer.hh"
#include "ingest/core/gunzip.hh"
#include "ingest/error_reply.hh"
#include "ingest/log_streams.hh"
#include "tables/core/unicode.hh"

namespace ingest {
namespace {

constexpr size_t bad_records_listed_max = 100;

std::string_view content_type(const http::request_head& head) {
    auto type = head.header("Content-Type").value_or("");
    type = type.substr(0, type.find(';'));
    while (type.ends_with(' ')) {
        type.remove_suffix(1);
    }
    return type;
}

std::unique_ptr<stream> open_stream(intake& in, std::string source, const http::request_head& head) {
    const auto type = content_type(head);
    const bool is_json = http::equal_ignoring_case(type, "application/json");
    if (is_json || http::equal_ignoring_case(type, "application/x-ndjson")) {
        const auto arrays = is_json ? json_arrays::taken : json_arrays::refused;
        return std::make_unique<json_log_stream>(in, std::move(source), arrays, bad_records_listed_max);
    }
    return std::make_unique<plain_log_stream>(in, std::move(source), bad_records_listed_max);
}

// One request on its way in.
class logs_call {
public:
    logs_call(intake& in, std::string source, http::request& request)
        : _request(request), _lines(open_stream(in, std::move(source), request.head)),
          _writer(in, protocol::logs_http, patience::none, request.disconnected) {
        if (const auto encoding = request.head.header("Content-Encoding");
            encoding && http::equal_ignoring_case(*encoding, "gzip")) {
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
            if (auto trouble = co_await take(std::move(*piece))) {
                co_return trouble;
            }
        }
    }

    seastar::future<base::expected<void>> drain() { return _writer.drain(); }
    const stream& lines() const { return *_lines; }

private:
    seastar::future<std::optional<refusal>> take(seastar::temporary_buffer<char> piece) {
        std::string_view bytes(piece.get(), piece.size());
        if (!_gunzip) {
            co_return co_await take_plain(bytes);
        }
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
            if (auto trouble = co_await take_plain(*inflated)) {
                co_return trouble;
            }
        }
    }

    // The bytes outlive the future.
    seastar::future<std::optional<refusal>> take_plain(std::string_view bytes) {
        if (!_lines->feed(bytes)) {
            co_return refusal{503, "busy", "the memory for long lines is used up; try again later"};
        }
        co_await _writer.send_routed(_received);
        if (_writer.failure()) {
            co_return refusal_of(*_writer.failure()); // no use in reading on
        }
        co_return std::nullopt;
    }

    seastar::future<std::optional<refusal>> finish() {
        if (_gunzip && !_gunzip->is_whole()) {
            co_return refusal{400, "bad_request", "the gzip stream of the body has no end"};
        }
        _lines->finish();
        co_await _writer.send_routed(_received);
        co_return std::nullopt;
    }

    http::request& _request;
    std::unique_ptr<stream> _lines;
    batch_writer _writer;
    std::optional<gunzip> _gunzip;
    std::chrono::steady_clock::time_point _received; // the last piece
};

std::optional<refusal> why_not(const intake& in, const std::string& source, const http::request_head& head) {
    if (!in.is_open()) {
        return refusal{503, "not_ready", "the server is starting"};
    }
    // Answers about any source are JSON, and who asks for one does so in UTF-8.
    if (source.empty() || source.size() > blobs::source_bytes_max || !tables::is_utf8(source)) {
        return refusal{400, "bad_request", "the name of a source has 1 to 255 bytes of UTF-8"};
    }
    const auto encoding = head.header("Content-Encoding").value_or("identity");
    if (!http::equal_ignoring_case(encoding, "identity") && !http::equal_ignoring_case(encoding, "gzip")) {
        return refusal{415, "bad_request", "a body may be encoded as gzip, nothing else"};
    }
    return std::nullopt;
}

} // namespace

seastar::future<> answer_logs(intake& in, std::string source, http::request& request, http::reply_writer& reply) {
    if (auto trouble = why_not(in, source, request.head)) {
        co_return co_await send_error(reply, *trouble);
    }
    logs_call call(in, std::move(source), request);
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
    co_await reply.send(204, {});
}

} // namespace ingest
