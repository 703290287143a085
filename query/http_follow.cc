// GET /v1/tail?follow=true: a reply without an end, in NDJSON or as server-sent events.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/util/defer.hh>

#include "query/follower.hh"
#include "query/http.hh"
#include "query/http_answer.hh"

namespace query {
namespace {

// Proxies and browsers give up on a stream that is silent for long.
constexpr std::chrono::seconds comment_interval(15);

// Rows of one round, as text.
class live_text {
public:
    explicit live_text(bool is_events) : _is_events(is_events) {}

    void add(std::string_view json, bool is_late) {
        _text += _is_events ? "data: " : "";
        _text += json;
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
    bool is_empty() const { return _text.empty(); }
    std::string take() { return std::exchange(_text, {}); }

private:
    bool _is_events;
    std::string _text;
};

} // namespace

seastar::future<result<http_face::live_begin>> http_face::begin_live(follower& live, seastar::abort_source& gone) {
    auto turn = co_await _executor.admit(gone);
    if (!turn) {
        co_return std::unexpected(turn.error());
    }
    control watch(_executor.config().budgets, _executor.shards_count());
    watch.pass_damage();
    const auto cancelled = watch.cancel_with(gone);
    auto damage = co_await live.begin(watch);
    auto memory = damage ? end_turn(std::move(*turn), live.history_bytes()) : std::unexpected(damage.error());
    if (!memory) {
        co_return std::unexpected(memory.error());
    }
    co_return live_begin{std::move(*damage), std::move(*memory)};
}

seastar::future<> http_face::send_live(follower& live, bool is_events, http::request& request, http::reply_writer& reply) {
    live_text text(is_events);
    const auto sink = [&text](std::string_view json, bool is_late) { text.add(json, is_late); };
    auto begun = co_await begin_live(live, request.disconnected);
    if (!begun) {
        co_return co_await send_error(reply, begun.error(), {});
    }
    add_damage_field(reply, begun->damage);
    reply.start(200, {{"Content-Type", is_events ? "text/event-stream" : "application/x-ndjson"}, {"Cache-Control", "no-store"}});
    co_await reply.flush();
    while (!request.disconnected.abort_requested()) {
        if (auto piece = text.take(); !piece.empty()) {
            co_await reply.write(to_buffer(std::move(piece)));
        }
        if (live.history_bytes() == 0) {
            begun->memory.return_all();
        }
        const auto more = co_await live.next(comment_interval, request.disconnected, sink);
        if (!more) {
            text.add_error(more.error());
            break;
        }
        if (text.is_empty()) {
            text.add_comment();
        }
    }
    co_await reply.finish(to_buffer(text.take()));
}

seastar::future<> http_face::follow(request asked, bool is_events, http::request& request, http::reply_writer& reply) {
    if (_followers_count == followers_max) {
        co_return co_await send_error(reply, 503, "busy", "too many live tails on this server");
    }
    ++_followers_count;
    const auto leave = seastar::defer([this]() noexcept { --_followers_count; });
    follower live(_executor, std::move(asked));
    auto sent = co_await seastar::coroutine::as_future(send_live(live, is_events, request, reply));
    co_await live.stop();
    sent.get(); // throws what went wrong, if anything did
}

} // namespace query
