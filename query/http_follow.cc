// GET /v1/tail?follow=true: a reply without an end, in NDJSON or as server-sent events.

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/util/defer.hh>

#include "query/core/native/json_encoder.hh"
#include "query/follower.hh"
#include "query/http.hh"
#include "query/http_answer.hh"

namespace query {
namespace {

constexpr std::chrono::milliseconds poll_interval(200);
// Proxies and browsers give up on a stream that is silent for long.
constexpr std::chrono::seconds comment_interval(15);

// Rows of one round, as text.
class live_text {
public:
    explicit live_text(bool is_events) : _is_events(is_events) {}

    void add(const answer_row& row, bool is_late) {
        _text += _is_events ? "data: " : "";
        append_json_row(row, _text);
        if (is_late) {
            _text.back() = ',';
            _text += "\"late\":true}";
        }
        _text += _is_events ? "\n\n" : "\n";
    }
    void add_comment() { _text += _is_events ? ":\n\n" : ""; }
    void add_error(const failure& f) {
        const auto json = error_json(f, {});
        _text += _is_events ? "event: error\ndata: " + json + "\n" : json;
    }
    std::string take() { return std::exchange(_text, {}); }

private:
    bool _is_events;
    std::string _text;
};

} // namespace

seastar::future<result<void>> http_face::round(follower& live, bool is_first, seastar::abort_source& gone, follower::sink sink) {
    auto turn = co_await _executor.admit();
    if (!turn) {
        co_return std::unexpected(turn.error());
    }
    control watch(_executor.config().budgets, _executor.shards_count());
    const auto cancelled = gone.subscribe([&watch]() noexcept { watch.cancel(); });
    // Not one expression: GCC 16 moves `sink` for both arms of a conditional that is awaited.
    if (is_first) {
        co_return co_await live.begin(watch, std::move(sink));
    }
    co_return co_await live.poll(watch, std::move(sink));
}

seastar::future<> http_face::follow(request asked, bool is_events, http::request& request, http::reply_writer& reply) {
    if (_followers_count == followers_max) {
        co_return co_await send_error(reply, 503, "busy", "too many live tails on this server");
    }
    ++_followers_count;
    const auto leave = seastar::defer([this]() noexcept { --_followers_count; });
    follower live(_executor, std::move(asked));
    live_text text(is_events);
    const auto sink = [&text](const answer_row& row, bool is_late) { text.add(row, is_late); };
    auto begun = co_await round(live, true, request.disconnected, sink);
    if (!begun) {
        co_return co_await send_error(reply, begun.error(), {});
    }
    reply.start(200, {{"Content-Type", is_events ? "text/event-stream" : "application/x-ndjson"}, {"Cache-Control", "no-store"}});
    co_await reply.flush();
    auto last_write = std::chrono::steady_clock::now();
    while (!request.disconnected.abort_requested()) {
        if (std::chrono::steady_clock::now() - last_write > comment_interval) {
            text.add_comment();
        }
        if (auto piece = text.take(); !piece.empty()) {
            co_await reply.write(to_buffer(std::move(piece)));
            last_write = std::chrono::steady_clock::now();
        }
        auto slept = co_await seastar::coroutine::as_future(seastar::sleep_abortable(poll_interval, request.disconnected));
        if (slept.failed()) {
            slept.ignore_ready_future(); // the client has gone
            break;
        }
        if (auto polled = co_await round(live, false, request.disconnected, sink); !polled) {
            if (polled.error().what == fault::refused && polled.error().why.code == base::errc::busy) {
                continue; // a round is left out, nothing is lost
            }
            text.add_error(polled.error());
            break;
        }
    }
    co_await reply.finish(to_buffer(text.take()));
}

} // namespace query
